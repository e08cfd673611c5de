#include "server/commands/serve/scheduler_release.h"

#include <string>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

TEST(SchedulerReleaseTest, ItIsTheApiServersUnlessAnotherIsWanted) {
  EXPECT_EQ(ChooseRelease({}, "v1.35.4").release.name, "1.35");
  EXPECT_EQ(ChooseRelease({}, "v1.35.4").mismatch, "");
  EXPECT_EQ(ChooseRelease(*KubernetesReleaseOf("1.36"), "v1.36.1").mismatch,
            "");
}

TEST(SchedulerReleaseTest, WithoutAnApiServerItIsTheNewest) {
  EXPECT_EQ(ChooseRelease({}, "").release.name, KubernetesRelease().name);
  EXPECT_EQ(ChooseRelease({}, "").mismatch, "");
}

TEST(SchedulerReleaseTest, AnotherThanWantedIsAMismatch) {
  const SchedulerRelease chosen =
      ChooseRelease(*KubernetesReleaseOf("1.36"), "v1.37.1");
  EXPECT_EQ(chosen.release.name, "1.36");
  EXPECT_EQ(chosen.mismatch,
            "the API server is v1.37.1, and the answers are those of "
            "kube-scheduler 1.36 (--kubernetes-release)");
}

TEST(SchedulerReleaseTest, OfAnUnknownOneTheNearestIsTaken) {
  EXPECT_EQ(ChooseRelease({}, "v1.99.0").release.name,
            KubernetesReleases().back().name);
  for (const char* version : {"v1.33.13", "v1.9.0"}) {
    const SchedulerRelease chosen = ChooseRelease({}, version);
    EXPECT_EQ(chosen.release.name, "1.34");
    EXPECT_NE(chosen.mismatch, "");
  }
}

TEST(SchedulerReleaseTest, WithoutAnApiServerNobodyIsAsked) {
  ServeOptions options;
  options.sample = true;
  const auto found = FindRelease(options);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->release.name, KubernetesRelease().name);
  EXPECT_TRUE(ConfirmRelease(options, *found, [] {
                ADD_FAILURE() << "asked";
                return true;
              }).ok());
}

}  // namespace
}  // namespace vicinal
