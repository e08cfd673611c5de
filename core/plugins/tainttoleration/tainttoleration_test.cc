#include "core/plugins/tainttoleration/tainttoleration.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

NodeInfo Tainted(const std::string& taints) {
  NodeInfo node;
  node.node = Parsed<Node>(R"({"metadata":{"name":"n"},"spec":{"taints":[)" +
                           taints + "]}}");
  return node;
}

PodInfo Tolerating(const std::string& tolerations) {
  return PodInfo(
      Parsed<Pod>(R"({"spec":{"tolerations":[)" + tolerations + "]}}"));
}

Status Filter(const std::string& taints, const std::string& tolerations) {
  const ClusterState cluster;
  const PodInfo pod = Tolerating(tolerations);
  const PreFilterResult result = TaintToleration().PreFilter(cluster, pod);
  EXPECT_TRUE(result.status.ok());
  return result.filter->Filter(Tainted(taints));
}

TEST(TaintTolerationTest, UntoleratedTaintsRefuseThePod) {
  for (const char* effect : {"NoSchedule", "NoExecute"}) {
    const std::string taint =
        R"({"key":"k","effect":")" + std::string(effect) + "\"}";
    const Status status = Filter(taint, "");
    EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable) << effect;
    EXPECT_EQ(status.Message(), "node(s) had untolerated taint(s)");
    EXPECT_TRUE(Filter(taint, R"({"key":"k","operator":"Exists"})").ok());
  }
  EXPECT_TRUE(Filter("", "").ok());
  EXPECT_TRUE(Filter(R"({"key":"k","effect":"PreferNoSchedule"})", "").ok());
}

TEST(TaintTolerationTest, FewerIntolerableSoftTaintsAreBetter) {
  const ClusterState cluster;
  // The second toleration is not for soft taints.
  const PodInfo pod = Tolerating(
      R"({"key":"a","operator":"Exists"},)"
      R"({"key":"b","operator":"Exists","effect":"NoSchedule"},)"
      R"({"key":"c","operator":"Exists","effect":"PreferNoSchedule"})");
  const std::string soft = R"(","effect":"PreferNoSchedule"})";
  const NodeInfo none = Tainted(R"({"key":"x","effect":"NoSchedule"})");
  const NodeInfo one = Tainted(R"({"key":"a)" + soft + R"(,{"key":"b)" + soft +
                               R"(,{"key":"c)" + soft);
  const NodeInfo three = Tainted(R"({"key":"d)" + soft + R"(,{"key":"e)" +
                                 soft + R"(,{"key":"b)" + soft);
  const std::vector<const NodeInfo*> nodes = {&none, &one, &three};
  const PreScoreResult result =
      TaintToleration().PreScore(cluster, pod, CandidateNodes(nodes));
  ASSERT_TRUE(result.status.ok());
  std::vector<std::int64_t> scores;
  for (const NodeInfo* node : nodes) {
    scores.push_back(result.score->Score(*node));
  }
  EXPECT_EQ(scores, (std::vector<std::int64_t>{0, 1, 3}));
  result.score->Normalize(CandidateNodes(nodes), scores);
  EXPECT_EQ(scores, (std::vector<std::int64_t>{100, 67, 0}));
}

TEST(TaintTolerationTest, WithoutSoftTaintsAllNodesAreBest) {
  const ClusterState cluster;
  const PodInfo pod = Tolerating("");
  const PreScoreResult result = TaintToleration().PreScore(cluster, pod, {});
  std::vector<std::int64_t> scores = {0, 0};
  result.score->Normalize({}, scores);
  EXPECT_EQ(scores, (std::vector<std::int64_t>{100, 100}));
}

}  // namespace
}  // namespace vicinal
