#include "core/model/feature_gates.h"

#include <string>

#include "core/model/feature_gate_table.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

KubernetesRelease Release(const char* name) {
  return *KubernetesReleaseOf(name);
}

std::string ErrorOf(const char* release, const std::string& gates) {
  return std::string(
      WithFeatureGates(Release(release), gates).status().message());
}

TEST(FeatureGatesTest, NoneChangesNothing) {
  for (const KubernetesRelease& release : KubernetesReleases()) {
    for (const char* none : {"", ",", "kube:AllAlpha=false,AllBeta=true"}) {
      EXPECT_EQ(*WithFeatureGates(release, none), release) << release.name;
    }
  }
}

TEST(FeatureGatesTest, TheReleasesHaveTheDefaultsOfTheTable) {
  struct Gate {
    const char* name;
    bool KubernetesRelease::*field;
  };
  for (const KubernetesRelease& release : KubernetesReleases()) {
    for (const auto& [name, field] :
         {Gate{"MatchLabelKeysInPodTopologySpread",
               &KubernetesRelease::match_label_keys_in_spread},
          Gate{"InPlacePodVerticalScaling", &KubernetesRelease::resizes},
          Gate{"PodLevelResources", &KubernetesRelease::pod_level_resources},
          Gate{"InPlacePodLevelResourcesVerticalScaling",
               &KubernetesRelease::pod_level_resizes},
          Gate{"TaintTolerationComparisonOperators",
               &KubernetesRelease::taint_comparisons}}) {
      const auto gate = FindFeatureGate(release.name, name);
      EXPECT_EQ(release.*field, gate.has_value() && gate->is_on)
          << name << " of " << release.name;
    }
  }
}

TEST(FeatureGatesTest, SetsWhatThePluginsLookAt) {
  const auto release = WithFeatureGates(
      Release("1.36"),
      " TaintTolerationComparisonOperators = True,kube:PodLevelResources=f,"
      "InPlacePodLevelResourcesVerticalScaling=0");
  ASSERT_TRUE(release.ok()) << release.status();
  EXPECT_TRUE(release->taint_comparisons);
  EXPECT_FALSE(release->pod_level_resources);
  EXPECT_FALSE(release->pod_level_resizes);
  EXPECT_TRUE(release->match_label_keys_in_spread);
  EXPECT_EQ(release->name, "1.36");
}

TEST(FeatureGatesTest, TheLastMentionCounts) {
  EXPECT_TRUE(WithFeatureGates(Release("1.37"),
                               "PodLevelResources=false,PodLevelResources=true")
                  ->pod_level_resources);
}

TEST(FeatureGatesTest, AllOfAStageIsForThoseThatAreNotNamed) {
  const auto beta =
      WithFeatureGates(Release("1.37"), "PodLevelResources=true,AllBeta=false");
  ASSERT_TRUE(beta.ok()) << beta.status();
  EXPECT_TRUE(beta->pod_level_resources);
  EXPECT_FALSE(beta->match_label_keys_in_spread);
  EXPECT_TRUE(beta->resizes) << "it is locked";
  EXPECT_TRUE(
      WithFeatureGates(Release("1.35"), "AllAlpha=true")->taint_comparisons);
}

TEST(FeatureGatesTest, OnesWithoutInfluenceAreAccepted) {
  EXPECT_EQ(*WithFeatureGates(
                Release("1.37"),
                "InterPodAffinityHostnameFastPath=true,GenericWorkload=true"),
            Release("1.37"));
}

TEST(FeatureGatesTest, WhatIsNoPairIsNamed) {
  for (const char* pair : {"A", "A=", "A=yes", "=", "kube:A"}) {
    EXPECT_EQ(ErrorOf("1.37", pair), "feature gate \"" + std::string(pair) +
                                         "\" is not of the form Name=true or "
                                         "Name=false");
  }
  EXPECT_EQ(
      ErrorOf("1.37", "wardle:A=true"),
      "feature gate \"wardle:A=true\": only the component kube has gates");
}

TEST(FeatureGatesTest, OnesThatTheReleaseDoesNotHaveAreNamed) {
  EXPECT_EQ(ErrorOf("1.34", "TaintTolerationComparisonOperators=false"),
            "feature gate \"TaintTolerationComparisonOperators=false\": "
            "kube-scheduler 1.34 has no gate of that name");
  EXPECT_NE(ErrorOf("1.37", "=true"), "");
}

TEST(FeatureGatesTest, LockedOnesMayOnlyBeWhatTheyAre) {
  EXPECT_EQ(ErrorOf("1.37", "InPlacePodVerticalScaling=false"),
            "feature gate \"InPlacePodVerticalScaling=false\": it is locked to "
            "true in kube-scheduler 1.37");
  EXPECT_EQ(ErrorOf("1.37", "InPlacePodVerticalScaling=true"), "");
  EXPECT_FALSE(
      WithFeatureGates(Release("1.34"), "InPlacePodVerticalScaling=false")
          ->resizes);
}

TEST(FeatureGatesTest, OnesThatVicinalDoesNotFollowAreRefused) {
  EXPECT_EQ(ErrorOf("1.36", "DRANodeAllocatableResources=true"),
            "feature gate \"DRANodeAllocatableResources=true\": vicinal does "
            "not have the answers that kube-scheduler 1.36 gives with it");
  EXPECT_EQ(ErrorOf("1.36", "AllAlpha=true"),
            ErrorOf("1.36", "DRANodeAllocatableResources=true"));
  EXPECT_EQ(ErrorOf("1.36", "AllAlpha=true,DRANodeAllocatableResources=false"),
            "");
}

}  // namespace
}  // namespace vicinal
