#include "core/model/kubernetes_release.h"

#include <optional>
#include <string>

#include "core/model/kubernetes_version.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

TEST(KubernetesReleaseTest, AVersionNamesItsRelease) {
  for (const char* version : {"1.36", "v1.36", "1.36.3", "v1.36.3",
                              "v1.36.3-gke.100", "v1.36.0+k3s1"}) {
    const auto release = KubernetesReleaseOf(version);
    ASSERT_TRUE(release.ok()) << release.status();
    EXPECT_EQ(release->name, "1.36") << version;
  }
}

TEST(KubernetesReleaseTest, AVersionHasAMinor) {
  EXPECT_EQ(KubernetesMinorOf("v1.33.13"), 33);
  EXPECT_EQ(KubernetesMinorOf("1.9"), 9);
  EXPECT_EQ(KubernetesMinorOf("v1.100.0+k3s1"), 100);
  for (const char* version : {"", "v", "1", "1.", "v1..3", "2.36", "1.36-rc.1",
                              "1.-3", "1.x", "1.99999999999", "vv1.36"}) {
    EXPECT_EQ(KubernetesMinorOf(version), std::nullopt) << version;
  }
}

TEST(KubernetesReleaseTest, AnUnknownOneIsNamed) {
  for (const char* version :
       {"", "v", "1", "1.3", "1.33.1", "2.36", "36", "1.360", "1.36-rc.1"}) {
    const auto release = KubernetesReleaseOf(version);
    EXPECT_EQ(release.status().message(),
              "Kubernetes release \"" + std::string(version) +
                  "\" is none of 1.34, 1.35, 1.36, 1.37");
  }
}

TEST(KubernetesReleaseTest, TheNewestIsWhatTheCodeIsWrittenAfter) {
  EXPECT_EQ(KubernetesReleases().back().name, KubernetesRelease().name);
}

}  // namespace
}  // namespace vicinal
