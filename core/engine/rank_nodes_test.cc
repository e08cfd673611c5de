#include "core/engine/rank_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/plugins/plugin_config.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Positions = std::vector<std::size_t>;

TEST(HighestTotalsTest, TheHighestComesFirst) {
  std::mt19937_64 random(1);
  EXPECT_THAT(HighestTotals(std::vector<std::int64_t>{3, 9, 5, 7}, 3, random),
              ElementsAre(1, 3, 2));
  EXPECT_THAT(HighestTotals(std::vector<std::int64_t>{3, 9}, 5, random),
              ElementsAre(1, 0));
  EXPECT_THAT(HighestTotals({}, 5, random), IsEmpty());
  EXPECT_THAT(HighestTotals(std::vector<std::int64_t>{1}, 0, random),
              IsEmpty());
}

TEST(HighestTotalsTest, EqualTotalsComeInEachOrder) {
  const std::vector<std::int64_t> totals = {5, 9, 5, 9, 5};
  std::mt19937_64 random(1);
  std::map<Positions, int> seen;
  for (int i = 0; i < 6000; ++i) ++seen[HighestTotals(totals, 4, random)];
  // Two orders of the best times six of two out of the other three.
  EXPECT_EQ(seen.size(), 12u);
  for (const auto& [order, times] : seen) {
    EXPECT_THAT(Positions(order.begin(), order.begin() + 2),
                UnorderedElementsAre(1, 3));
    EXPECT_THAT(times, Ge(400)) << "of 500 expected";
  }
}

class RankNodesTest : public ::testing::Test {
 protected:
  RankNodesTest() {
    for (const char* name : {"a", "b", "c"}) {
      AddObjects(cluster_, std::string(R"(
apiVersion: v1
kind: Node
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
metadata: {labels: {kubernetes.io/hostname: )") +
                               name + "}, name: " + name + "}");
    }
  }

  RankedNodes Rank(std::string_view pod, std::size_t limit = 10) {
    const PodInfo incoming = MakePod(pod);
    return RankNodes(profile_, cluster_, incoming, AllNodes(cluster_), limit,
                     random_);
  }

  const Profile profile_ = DefaultProfile(PluginConfig());
  ClusterState cluster_;
  std::mt19937_64 random_{1};
};

TEST_F(RankNodesTest, TheNodesThatPassComeByTheirTotals) {
  AddPod(cluster_, "a", "{metadata: {name: p, labels: {app: web}}}");
  AddPod(cluster_, "c",
         "{metadata: {name: q}, spec: {containers: [{name: c, resources: "
         "{requests: {cpu: 3}}}]}}");
  const RankedNodes ranked = Rank(R"({metadata: {labels: {app: web}}, spec: {
      containers: [{name: c, resources: {requests: {cpu: 1}}}],
      affinity: {podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{
          topologyKey: kubernetes.io/hostname,
          labelSelector: {matchLabels: {app: web}}}]}}}})");
  EXPECT_TRUE(ranked.status.ok());
  EXPECT_THAT(ranked.best, ElementsAre(1, 2));
  EXPECT_EQ(ranked.passed, 2u);
}

TEST_F(RankNodesTest, NoMoreThanTheLimitAreNamed) {
  const RankedNodes ranked = Rank("{metadata: {name: p}}", 2);
  EXPECT_EQ(ranked.best.size(), 2u);
  EXPECT_EQ(ranked.passed, 3u);
}

TEST_F(RankNodesTest, OneThatPassesAloneIsTaken) {
  EXPECT_THAT(Rank("{spec: {nodeSelector: {kubernetes.io/hostname: b}}}").best,
              ElementsAre(1));
}

TEST_F(RankNodesTest, NoneIsNamedIfNonePasses) {
  const RankedNodes ranked = Rank("{spec: {nodeSelector: {no: where}}}");
  EXPECT_TRUE(ranked.status.ok());
  EXPECT_THAT(ranked.best, IsEmpty());
}

TEST_F(RankNodesTest, AnErrorOfAPluginIsTheAnswer) {
  const RankedNodes ranked = Rank(R"({spec: {topologySpreadConstraints: [{
      maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway,
      labelSelector: {matchExpressions: [{key: a, operator: Odd}]}}]}})");
  EXPECT_EQ(ranked.status.code(), Code::kError);
  EXPECT_THAT(ranked.best, IsEmpty());
}

}  // namespace
}  // namespace vicinal
