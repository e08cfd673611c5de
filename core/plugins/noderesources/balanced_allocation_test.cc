#include "core/plugins/noderesources/balanced_allocation.h"

#include <optional>
#include <string>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

// The score of the pod on a node with cpu 1, memory 1000 and one gpu, with a
// pod on it that takes half of the cpu; nothing if the plugin skips the pod.
std::optional<std::int64_t> Score(
    const std::string& pod, NodeResourcesBalancedAllocationArgs args = {}) {
  ClusterState cluster;
  cluster.Upsert(Parsed<Node>(
      R"({"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"1",)"
      R"("memory":"1000","a.com/gpu":"1"}}})"));
  cluster.Upsert(Parsed<Pod>(
      R"({"metadata":{"name":"e"},"spec":{"nodeName":"n","containers":)"
      R"([{"name":"c","resources":{"requests":{"cpu":"500m"}}}]}})"));
  const NodeResourcesBalancedAllocation plugin(std::move(args));
  const PodInfo info(Parsed<Pod>(pod));
  const PreScoreResult result = plugin.PreScore(cluster, info, {});
  if (result.status.IsSkip()) return std::nullopt;
  EXPECT_TRUE(result.status.ok());
  return result.score->Score(*cluster.FindNode("n"));
}

std::string Requesting(const std::string& requests) {
  return R"({"spec":{"containers":[{"name":"c","resources":{"requests":)" +
         requests + "}}]}}";
}

TEST(BalancedAllocationTest, SkipsPodsThatRequestNoneOfTheResources) {
  EXPECT_EQ(Score(Requesting("{}")), std::nullopt);
  EXPECT_EQ(Score(Requesting(R"({"cpu":"0"})")), std::nullopt);
  EXPECT_EQ(Score(Requesting(R"({"a.com/gpu":"1"})")), std::nullopt);
  // Also a resource that no node has is one of the resources.
  EXPECT_NE(Score(Requesting(R"({"pods":"1"})"), {{{"pods", 1}}}),
            std::nullopt);
}

TEST(BalancedAllocationTest, FavoursMoreEvenUse) {
  // Without the pod the deviation is 0.25. The existing pod's missing memory
  // request counts as 0, not as the default.
  EXPECT_EQ(Score(Requesting(R"({"memory":"500"})")), 87);
  EXPECT_EQ(Score(Requesting(R"({"cpu":"10m","memory":"10"})")), 75);
  EXPECT_EQ(Score(Requesting(R"({"cpu":"500m"})")), 62);
}

TEST(BalancedAllocationTest, ScalarResourcesCountIfRequested) {
  const NodeResourcesBalancedAllocationArgs args = {
      {{"cpu", 1}, {"a.com/gpu", 1}}};
  EXPECT_EQ(Score(Requesting(R"({"cpu":"500m"})"), args), 75);
  EXPECT_EQ(Score(Requesting(R"({"cpu":"1m","a.com/gpu":"1"})"), args), 75);
  EXPECT_EQ(Score(Requesting(R"({"cpu":"500m","a.com/gpu":"1"})"), args), 87);
}

TEST(BalancedAllocationTest, PodLevelRequestsAndStatusCount) {
  EXPECT_EQ(Score(R"({"spec":{"resources":{"requests":{"memory":"500"}}}})"),
            87);
  EXPECT_EQ(Score(R"({"spec":{"containers":[{"name":"c"}]},"status":)"
                  R"({"containerStatuses":[{"name":"c","allocatedResources":)"
                  R"({"memory":"500"}}]}})"),
            87);
}

}  // namespace
}  // namespace vicinal
