#include "core/engine/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/engine/default_profile.h"
#include "core/plugins/plugin_config.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;

class DecideTest : public ::testing::Test {
 protected:
  // Nodes of one size, a and b in zone 1, c in zone 2.
  DecideTest() {
    AddObjects(cluster_, R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: a, labels: {kubernetes.io/hostname: a, zone: z1}}
  status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
- apiVersion: v1
  kind: Node
  metadata: {name: b, labels: {kubernetes.io/hostname: b, zone: z1}}
  status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
- apiVersion: v1
  kind: Node
  metadata: {name: c, labels: {kubernetes.io/hostname: c, zone: z2}}
  status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
)");
  }

  Decision DecideFor(const PodInfo& pod) const {
    return Decide(profile_, cluster_, pod, cluster_.Nodes());
  }

  const Profile profile_ = DefaultProfile(PluginConfig());
  ClusterState cluster_;
};

TEST_F(DecideTest, TheHighestTotalWins) {
  AddPod(cluster_, "a", "{metadata: {name: w, labels: {app: web}}}");
  const PodInfo pod = MakePod(R"(
metadata: {name: p}
spec:
  affinity:
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector: {matchLabels: {app: web}}
)");
  EXPECT_THAT(DecideFor(pod).best, ElementsAre(0));
}

TEST_F(DecideTest, EqualTotalsTie) {
  EXPECT_THAT(DecideFor(MakePod("{metadata: {name: p}}")).best,
              ElementsAre(0, 1, 2));
}

TEST_F(DecideTest, WhatDoesNotPassTheFiltersIsNotScored) {
  AddPod(cluster_, "a", "{metadata: {name: w, labels: {app: web}}}");
  const PodInfo pod = MakePod(R"(
metadata: {name: p}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {matchLabels: {app: web}}
)");
  const Decision decision = DecideFor(pod);
  EXPECT_THAT(decision.best, ElementsAre(2));
  EXPECT_FALSE(decision.filtered.statuses.ok(0));
}

TEST_F(DecideTest, WhenNothingFitsEveryNodeHasAReason) {
  const PodInfo pod =
      MakePod("{metadata: {name: p}, spec: {nodeSelector: {zone: z9}}}");
  const Decision decision = DecideFor(pod);
  EXPECT_THAT(decision.best, IsEmpty());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(decision.filtered.statuses[i].Message(),
              "node(s) didn't match Pod's node affinity/selector");
  }
}

TEST_F(DecideTest, AnErrorWhileScoringLeavesNoChoice) {
  const PodInfo pod = MakePod(R"(
metadata: {name: p}
spec:
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: {matchExpressions: [{key: app, operator: Near}]}
)");
  const Decision decision = DecideFor(pod);
  EXPECT_THAT(decision.best, IsEmpty());
  EXPECT_EQ(decision.scored.status.code(), Code::kError);
}

// Chi-squared over ten classes: with nine degrees of freedom a fair choice
// exceeds 27.88 once in a thousand seeds; this seed is fixed.
TEST(ChooseOneTest, EachOfTheBestIsEquallyLikely) {
  const std::vector<std::size_t> best = {3, 7, 8, 11, 20, 21, 22, 40, 41, 99};
  std::mt19937_64 random(42);
  std::map<std::size_t, int> counts;
  constexpr int kChoices = 10'000;
  for (int i = 0; i < kChoices; ++i) ++counts[ChooseOne(best, random)];
  ASSERT_EQ(counts.size(), best.size());
  const double expected = static_cast<double>(kChoices) / best.size();
  double chi_squared = 0;
  for (const std::size_t position : best) {
    ASSERT_THAT(counts[position], Ge(1));
    const double difference = counts[position] - expected;
    chi_squared += difference * difference / expected;
  }
  EXPECT_LT(chi_squared, 27.88);
  // A generator that repeats itself in step would be too even.
  EXPECT_GT(chi_squared, 1.15);
}

TEST(ChooseOneTest, TheSameSeedChoosesTheSame) {
  const std::vector<std::size_t> best = {1, 2, 3, 4};
  std::mt19937_64 one(7);
  std::mt19937_64 other(7);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ChooseOne(best, one), ChooseOne(best, other));
  }
}

}  // namespace
}  // namespace vicinal
