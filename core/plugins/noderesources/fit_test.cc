#include "core/plugins/noderesources/fit.h"

#include <memory>
#include <string>
#include <vector>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

constexpr char kNode[] =
    R"({"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4",)"
    R"("memory":"100","ephemeral-storage":"50","a.com/x":"8","b.com/x":"2",)"
    R"("pods":"3"}}})";

Pod Requesting(const std::string& requests, const char* name = "p",
               const char* more = "") {
  return Parsed<Pod>(R"({"metadata":{"name":")" + std::string(name) +
                     R"("},"spec":{)" + more +
                     R"("containers":[{"name":"c","resources":{"requests":)" +
                     requests + "}}]}}");
}

class FitFilterTest : public testing::Test {
 protected:
  FitFilterTest() { cluster_.Upsert(Parsed<Node>(kNode)); }

  void AddPod(const std::string& requests, const char* name) {
    cluster_.Upsert(Requesting(requests, name, R"("nodeName":"n",)"));
  }

  const NodeInfo& node() const { return *cluster_.FindNode("n"); }

  Status Filter(const std::string& requests, NodeResourcesFitArgs args = {}) {
    const NodeResourcesFit plugin(std::move(args));
    const PodInfo pod(Requesting(requests));
    const PreFilterResult result = plugin.PreFilter(cluster_, pod);
    EXPECT_TRUE(result.status.ok());
    EXPECT_FALSE(result.node_names.has_value());
    return result.filter->Filter(node());
  }

  ClusterState cluster_;
};

TEST_F(FitFilterTest, APodMayUseUpTheNode) {
  EXPECT_TRUE(Filter(R"({"cpu":"4","memory":"100","ephemeral-storage":"50",)"
                     R"("a.com/x":"8"})")
                  .ok());
  AddPod(R"({"cpu":"1","memory":"40","ephemeral-storage":"5","a.com/x":"2"})",
         "e");
  EXPECT_TRUE(Filter(R"({"cpu":"3","memory":"60","ephemeral-storage":"45",)"
                     R"("a.com/x":"6"})")
                  .ok());
}

TEST_F(FitFilterTest, WhatIsShortOnlyBecauseOfOtherPodsIsResolvable) {
  AddPod(R"({"cpu":"1","memory":"40","ephemeral-storage":"5","a.com/x":"2"})",
         "e");
  const auto expect = [&](const char* requests, const char* reason) {
    const Status status = Filter(requests);
    EXPECT_EQ(status.code(), Code::kUnschedulable) << reason;
    EXPECT_EQ(status.Message(), reason);
  };
  expect(R"({"cpu":"3001m"})", "Insufficient cpu");
  expect(R"({"memory":"61"})", "Insufficient memory");
  expect(R"({"ephemeral-storage":"46"})", "Insufficient ephemeral-storage");
  expect(R"({"a.com/x":"7"})", "Insufficient a.com/x");
}

TEST_F(FitFilterTest, WhatExceedsTheNodeIsUnresolvable) {
  const auto expect = [&](const char* requests, const char* reason) {
    const Status status = Filter(requests);
    EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable) << reason;
    EXPECT_EQ(status.Message(), reason);
  };
  expect(R"({"cpu":"4001m"})", "Insufficient cpu");
  expect(R"({"memory":"101"})", "Insufficient memory");
  expect(R"({"ephemeral-storage":"51"})", "Insufficient ephemeral-storage");
  expect(R"({"a.com/x":"9"})", "Insufficient a.com/x");
  expect(R"({"c.com/x":"1"})", "Insufficient c.com/x");
  expect(R"({"hugepages-2Mi":"1"})", "Insufficient hugepages-2Mi");
}

TEST_F(FitFilterTest, AllReasonsAreGivenInOrderAndOneUnresolvableDecides) {
  for (const char* name : {"e1", "e2", "e3"}) {
    AddPod(R"({"cpu":"1","memory":"30","ephemeral-storage":"10",)"
           R"("a.com/x":"2","b.com/x":"0"})",
           name);
  }
  const Status resolvable =
      Filter(R"({"b.com/x":"1","a.com/x":"3","ephemeral-storage":"50",)"
             R"("memory":"100","cpu":"4"})");
  EXPECT_EQ(resolvable.code(), Code::kUnschedulable);
  EXPECT_EQ(resolvable.Reasons(),
            (std::vector<std::string_view>{
                "Too many pods", "Insufficient cpu", "Insufficient memory",
                "Insufficient ephemeral-storage", "Insufficient a.com/x"}));
  const Status unresolvable = Filter(R"({"b.com/x":"3","a.com/x":"3"})");
  EXPECT_EQ(unresolvable.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(unresolvable.Message(),
            "Too many pods, Insufficient a.com/x, Insufficient b.com/x");
}

TEST_F(FitFilterTest, TooManyPodsIsResolvable) {
  AddPod("{}", "e1");
  AddPod("{}", "e2");
  EXPECT_TRUE(Filter("{}").ok());
  AddPod("{}", "e3");
  const Status status = Filter("{}");
  EXPECT_EQ(status.code(), Code::kUnschedulable);
  EXPECT_EQ(status.Message(), "Too many pods");
}

TEST_F(FitFilterTest, WhatThePodDoesNotRequestIsNotLookedAt) {
  AddPod(R"({"cpu":"40","memory":"1000"})", "e");
  EXPECT_TRUE(Filter(R"({"cpu":"0","a.com/x":"1","c.com/x":"0"})").ok());
  EXPECT_TRUE(Filter(R"({"storage":"1"})").ok());
}

TEST_F(FitFilterTest, IgnoredResourcesAreNotLookedAt) {
  const char* requests = R"({"a.com/x":"9","b.com/x":"9","hugepages-2Mi":"1"})";
  NodeResourcesFitArgs args;
  args.ignored_resources = {"a.com/x", "hugepages-2Mi"};
  EXPECT_EQ(Filter(requests, args).Message(),
            "Insufficient b.com/x, Insufficient hugepages-2Mi");
  args.ignored_resources = {"b.com/x"};
  args.ignored_resource_groups = {"a.com", "hugepages-2Mi"};
  EXPECT_EQ(Filter(requests, args).Message(), "Insufficient hugepages-2Mi");
  // They still are no reason to look at cpu.
  AddPod(R"({"cpu":"40"})", "e");
  EXPECT_TRUE(Filter(R"({"a.com/x":"9"})", args).ok());
}

TEST_F(FitFilterTest, RequestsOfThePodCountInFull) {
  const NodeResourcesFit plugin({});
  const PodInfo pod(Requesting(
      R"({"cpu":"1"})", "p",
      R"("overhead":{"cpu":"500m"},"resources":{"requests":{"memory":"101"}},)"
      R"("initContainers":[{"name":"i","resources":{"requests":)"
      R"({"cpu":"4"}}}],)"));
  const PreFilterResult result = plugin.PreFilter(cluster_, pod);
  EXPECT_EQ(result.filter->Filter(node()).Message(),
            "Insufficient cpu, Insufficient memory");
}

TEST_F(FitFilterTest, StatusOfThePodDoesNotCount) {
  const NodeResourcesFit plugin({});
  Pod pod = Requesting(R"({"cpu":"1"})");
  pod.status.container_statuses = {
      {"c", Parsed<ResourceList>(R"({"cpu":"9"})"), std::nullopt}};
  const PodInfo info(pod);
  EXPECT_TRUE(plugin.PreFilter(cluster_, info).filter->Filter(node()).ok());
}

TEST_F(FitFilterTest, NominatedPodsTakeRoomOnTheirNodeOnly) {
  Node other = Parsed<Node>(kNode);
  other.meta.name = "m";
  cluster_.Upsert(other);
  const NodeResourcesFit plugin({});
  const PodInfo pod(Requesting(R"({"cpu":"3"})"));
  const PodInfo nominated(Requesting(R"({"cpu":"2"})", "q"));
  const PreFilterResult result = plugin.PreFilter(cluster_, pod);
  const std::vector<const PodInfo*> added = {&nominated};
  const std::unique_ptr<PreparedFilter> with =
      result.filter->WithPods(added, node());
  ASSERT_NE(with, nullptr);
  EXPECT_EQ(with->Filter(node()).Message(), "Insufficient cpu");
  EXPECT_TRUE(with->Filter(*cluster_.FindNode("m")).ok());
  EXPECT_TRUE(result.filter->Filter(node()).ok());
  // They count as pods, too.
  const std::vector<const PodInfo*> many(3, &nominated);
  EXPECT_EQ(result.filter->WithPods(many, node())->Filter(node()).Message(),
            "Too many pods, Insufficient cpu");
}

class FitScoreTest : public FitFilterTest {
 protected:
  std::int64_t Score(const Pod& pod, const ScoringStrategy& strategy) {
    const NodeResourcesFit plugin({{}, {}, strategy});
    const PodInfo info(pod);
    const PreScoreResult result = plugin.PreScore(cluster_, info, {});
    EXPECT_TRUE(result.status.ok());
    return result.score->Score(node());
  }
};

TEST_F(FitScoreTest, StrategiesScoreTheNodeWithThePodOnIt) {
  AddPod(R"({"cpu":"1","memory":"20"})", "e");
  const Pod pod = Requesting(R"({"cpu":"1","memory":"10"})");
  // 50 % of the cpu and 30 % of the memory are in use.
  EXPECT_EQ(Score(pod, {}), 60);
  ScoringStrategy strategy;
  strategy.type = "MostAllocated";
  EXPECT_EQ(Score(pod, strategy), 40);
  strategy.resources = {{"cpu", 3}, {"memory", 1}};
  EXPECT_EQ(Score(pod, strategy), 45);
  strategy.type = "RequestedToCapacityRatio";
  strategy.shape = {{0, 0}, {100, 5}};
  EXPECT_EQ(Score(pod, strategy), 23);  // (25 × 3 + 15) / 4 = 22.5
}

TEST_F(FitScoreTest, MissingRequestsCountAsTheDefaults) {
  ScoringStrategy strategy;
  strategy.type = "MostAllocated";
  strategy.resources = {{"cpu", 1}};
  EXPECT_EQ(Score(Requesting("{}"), strategy), 2);  // 100m of 4.
  EXPECT_EQ(Score(Requesting(R"({"cpu":"0"})"), strategy), 0);
}

TEST_F(FitScoreTest, PodLevelRequestsDoNotCountAsTheyDoNotUpstream) {
  ScoringStrategy strategy;
  strategy.type = "MostAllocated";
  strategy.resources = {{"cpu", 1}};
  const Pod pod = Requesting(R"({"cpu":"1"})", "p",
                             R"("resources":{"requests":{"cpu":"3"}},)");
  EXPECT_EQ(Score(pod, strategy), 25);
}

TEST(NodeResourcesFitArgsTest, DefaultsAreValid) {
  EXPECT_TRUE(Validate(NodeResourcesFitArgs()).ok());
  EXPECT_TRUE(Validate(NodeResourcesBalancedAllocationArgs()).ok());
}

TEST(NodeResourcesFitArgsTest, ErrorsNameFieldAndValue) {
  NodeResourcesFitArgs args;
  args.ignored_resource_groups = {"a/b"};
  EXPECT_EQ(std::string(Validate(args).message()),
            "ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group "
            "name can't contain '/'");
  args = {};
  args.ignored_resources = {""};
  EXPECT_FALSE(Validate(args).ok());
  args = {};
  args.scoring_strategy.type = "Best";
  args.scoring_strategy.resources[1].weight = 101;
  EXPECT_EQ(
      std::string(Validate(args).message()),
      "[scoringStrategy.type: Unsupported value: \"Best\": supported "
      "values: \"LeastAllocated\", \"MostAllocated\", "
      "\"RequestedToCapacityRatio\", scoringStrategy.resources[1].weight: "
      "Invalid value: 101: resource weight of memory not in valid range "
      "(0, 100]]");
}

TEST(NodeResourcesFitArgsTest, ShapesAreChecked) {
  NodeResourcesFitArgs args;
  args.scoring_strategy.type = "RequestedToCapacityRatio";
  const std::string shape = "scoringStrategy.requestedToCapacityRatio.shape";
  EXPECT_EQ(std::string(Validate(args).message()),
            shape + ": Required value: at least one point must be specified");
  args.scoring_strategy.shape = {{0, 0}, {50, 10}, {50, 1}};
  EXPECT_EQ(std::string(Validate(args).message()),
            shape +
                "[2].utilization: Invalid value: 50: values must be sorted "
                "in increasing order");
  args.scoring_strategy.shape = {{-1, 0}, {101, 11}};
  EXPECT_EQ(std::string(Validate(args).message()),
            "[" + shape +
                "[0].utilization: Invalid value: -1: not in valid range "
                "[0, 100], " +
                shape +
                "[1].utilization: Invalid value: 101: not in valid range "
                "[0, 100], " +
                shape +
                "[1].score: Invalid value: 11: not in valid range [0, 10]]");
}

TEST(BalancedAllocationArgsTest, ErrorsNameFieldAndValue) {
  EXPECT_EQ(std::string(Validate(NodeResourcesBalancedAllocationArgs{
                                     {{"cpu", 1}, {"cpu", 2}}})
                            .message()),
            "[resources[1].name: Duplicate value: \"cpu\", "
            "resources[1].weight: Invalid value: 2: must be 1]");
}

}  // namespace
}  // namespace vicinal
