#include "server/commands/release/scheduler_release.h"

#include <string>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

ReleaseOptions Wanted(const char* version) {
  ReleaseOptions options;
  options.wanted = *KubernetesReleaseOf(version);
  return options;
}

TEST(SchedulerReleaseTest, ItIsTheApiServersUnlessAnotherIsWanted) {
  EXPECT_EQ(ChooseRelease({}, "v1.35.4")->release.name, "1.35");
  EXPECT_EQ(ChooseRelease({}, "v1.35.4")->mismatch, "");
  EXPECT_EQ(ChooseRelease(Wanted("1.36"), "v1.36.1")->mismatch, "");
}

TEST(SchedulerReleaseTest, WithoutAnApiServerItIsTheNewest) {
  EXPECT_EQ(ReleaseFor({}, nullptr)->release.name, KubernetesRelease().name);
  EXPECT_EQ(ReleaseFor({}, nullptr)->mismatch, "");
}

TEST(SchedulerReleaseTest, AnotherThanWantedIsAMismatch) {
  const auto chosen = ChooseRelease(Wanted("1.36"), "v1.37.1");
  EXPECT_EQ(chosen->release.name, "1.36");
  EXPECT_EQ(chosen->mismatch,
            "the API server is v1.37.1, and the answers are those of "
            "kube-scheduler 1.36 (--kubernetes-release)");
}

TEST(SchedulerReleaseTest, OfAnUnknownOneTheNearestIsTaken) {
  EXPECT_EQ(ChooseRelease({}, "v1.99.0")->release.name,
            KubernetesReleases().back().name);
  for (const char* version : {"v1.33.13", "v1.9.0"}) {
    const auto chosen = ChooseRelease({}, version);
    EXPECT_EQ(chosen->release.name, "1.34");
    EXPECT_NE(chosen->mismatch, "");
  }
}

TEST(SchedulerReleaseTest, FeatureGatesAreThoseOfTheReleaseChosen) {
  ReleaseOptions options;
  options.feature_gates = "TaintTolerationComparisonOperators=false";
  EXPECT_TRUE(ChooseRelease(options, "v1.35.4").ok());
  EXPECT_EQ(ChooseRelease(options, "v1.34.4").status().message(),
            "--feature-gates: feature gate "
            "\"TaintTolerationComparisonOperators=false\": kube-scheduler 1.34 "
            "has no gate of that name");
}

}  // namespace
}  // namespace vicinal
