#include "core/plugins/nodeaffinity/nodeaffinity.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

const ClusterState& EmptyCluster() {
  static const ClusterState cluster;
  return cluster;
}

NodeInfo Labelled(const char* name, Labels labels) {
  NodeInfo node;
  node.node.emplace().meta.name = name;
  node.node->meta.labels = std::move(labels);
  return node;
}

PodInfo WithSpec(const std::string& spec) {
  return PodInfo(Parsed<Pod>(R"({"spec":)" + spec + "}"));
}

PodInfo Requiring(const std::string& terms) {
  return WithSpec(
      R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnored)"
      R"(DuringExecution":{"nodeSelectorTerms":)" +
      terms + "}}}}");
}

PodInfo Preferring(const std::string& terms) {
  return WithSpec(
      R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnored)"
      R"(DuringExecution":)" +
      terms + "}}}");
}

NodeAffinityArgs Adding(const std::string& affinity) {
  return {Parsed<NodeAffinity>(affinity)};
}

// A term that wants metadata.name to be one of `names`.
std::string Named(const std::string& names) {
  return R"({"key":"metadata.name","operator":"In","values":[)" + names + "]}";
}

TEST(NodeAffinityFilterTest, SkipsPodsThatRequireNothing) {
  const NodeAffinityPlugin plugin({});
  const auto skips = [&](const std::string& spec) {
    return plugin.PreFilter(EmptyCluster(), WithSpec(spec)).status.IsSkip();
  };
  EXPECT_TRUE(skips("{}"));
  EXPECT_TRUE(skips(R"({"affinity":{"nodeAffinity":{}}})"));
  EXPECT_FALSE(skips(R"({"nodeSelector":{}})"));
  EXPECT_FALSE(skips(R"({"affinity":{"nodeAffinity":{"requiredDuringScheduling)"
                     R"(IgnoredDuringExecution":{}}}})"));
}

TEST(NodeAffinityFilterTest, RefusesNodesThatDoNotMatch) {
  const NodeAffinityPlugin plugin({});
  for (const PodInfo& pod :
       {WithSpec(R"({"nodeSelector":{"zone":"a"}})"),
        Requiring(R"([{"matchExpressions":[{"key":"zone","operator":"In",)"
                  R"("values":["a"]}]}])")}) {
    const PreFilterResult result = plugin.PreFilter(EmptyCluster(), pod);
    ASSERT_TRUE(result.status.ok());
    EXPECT_FALSE(result.node_names.has_value());
    EXPECT_TRUE(result.filter->Filter(Labelled("n", {{"zone", "a"}})).ok());
    const Status status = result.filter->Filter(Labelled("n", {{"zone", "b"}}));
    EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable);
    EXPECT_EQ(status.Message(),
              "node(s) didn't match Pod's node affinity/selector");
  }
}

TEST(NodeAffinityFilterTest, NoTermsMatchNoNode) {
  const PodInfo pod = Requiring("[]");
  const NodeAffinityPlugin plugin({});
  const PreFilterResult result = plugin.PreFilter(EmptyCluster(), pod);
  ASSERT_TRUE(result.status.ok());
  EXPECT_FALSE(result.node_names.has_value());
  EXPECT_FALSE(result.filter->Filter(Labelled("n", {})).ok());
}

TEST(NodeAffinityFilterTest, TermsByNameNarrowTheNodes) {
  const NodeAffinityPlugin plugin({});
  const auto names = [&](const std::string& terms) {
    const PodInfo pod = Requiring(terms);
    return plugin.PreFilter(EmptyCluster(), pod).node_names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(R"([{"matchFields":[)" + Named(R"("n2")") + "]}]"),
            Names{"n2"});
  // Terms are ORed, requirements ANDed.
  EXPECT_EQ(names(R"([{"matchFields":[)" + Named(R"("n2")") +
                  R"(]},{"matchFields":[)" + Named(R"("n1")") + "]}]"),
            (Names{"n1", "n2"}));
  EXPECT_EQ(names(R"([{"matchFields":[)" + Named(R"("n1","n2")") + "," +
                  Named(R"("n2","n3")") + "]}]"),
            Names{"n2"});
  // One term that leaves any name frees the pod.
  EXPECT_EQ(names(R"([{"matchFields":[)" + Named(R"("n2")") +
                  R"(]},{"matchExpressions":[{"key":"zone",)"
                  R"("operator":"Exists"}]}])"),
            std::nullopt);
  EXPECT_EQ(names(R"([{"matchFields":[{"key":"metadata.name",)"
                  R"("operator":"NotIn","values":["n2"]}]}])"),
            std::nullopt);
}

TEST(NodeAffinityFilterTest, TermsThatContradictThemselvesRefuseAllNodes) {
  const PodInfo pod = Requiring(R"([{"matchFields":[)" + Named(R"("n1")") +
                                "," + Named(R"("n2")") + "]}]");
  const PreFilterResult result =
      NodeAffinityPlugin({}).PreFilter(EmptyCluster(), pod);
  EXPECT_EQ(result.status.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(result.status.Message(), "pod affinity terms conflict");
}

TEST(NodeAffinityFilterTest, AddedAffinityAppliesToEveryPod) {
  const NodeAffinityPlugin plugin(
      Adding(R"({"requiredDuringSchedulingIgnoredDuringExecution":)"
             R"({"nodeSelectorTerms":[{"matchExpressions":)"
             R"([{"key":"zone","operator":"In","values":["a"]}]}]}})"));
  const PodInfo pod = WithSpec(R"({"nodeSelector":{"disk":"ssd"}})");
  const PreFilterResult result = plugin.PreFilter(EmptyCluster(), pod);
  ASSERT_TRUE(result.status.ok());
  EXPECT_TRUE(
      result.filter->Filter(Labelled("n", {{"zone", "a"}, {"disk", "ssd"}}))
          .ok());
  EXPECT_EQ(result.filter->Filter(Labelled("n", {{"zone", "a"}})).Message(),
            "node(s) didn't match Pod's node affinity/selector");
  const Status enforced = result.filter->Filter(Labelled("n", {}));
  EXPECT_EQ(enforced.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(enforced.Message(),
            "node(s) didn't match scheduler-enforced node affinity");
  EXPECT_TRUE(plugin.PreFilter(EmptyCluster(), WithSpec("{}")).status.ok());
}

TEST(NodeAffinityScoreTest, SkipsPodsThatPreferNothing) {
  const NodeAffinityPlugin plugin({});
  EXPECT_TRUE(
      plugin.PreScore(EmptyCluster(), WithSpec("{}"), {}).status.IsSkip());
  EXPECT_TRUE(
      plugin.PreScore(EmptyCluster(), Preferring("[]"), {}).status.ok());
}

TEST(NodeAffinityScoreTest, AddsUpTheWeightsOfMatchingTerms) {
  const NodeAffinityPlugin plugin(
      Adding(R"({"preferredDuringSchedulingIgnoredDuringExecution":)"
             R"([{"weight":5,"preference":{"matchExpressions":)"
             R"([{"key":"zone","operator":"Exists"}]}}]})"));
  const PodInfo pod =
      Preferring(R"([{"weight":10,"preference":{"matchExpressions":)"
                 R"([{"key":"zone","operator":"In","values":["a"]}]}},)"
                 R"({"weight":20,"preference":{"matchExpressions":)"
                 R"([{"key":"disk","operator":"Exists"}]}}])");
  const NodeInfo a = Labelled("a", {{"zone", "a"}, {"disk", "ssd"}});
  const NodeInfo b = Labelled("b", {{"zone", "b"}});
  const NodeInfo c = Labelled("c", {});
  const std::vector<const NodeInfo*> nodes = {&a, &b, &c};
  const PreScoreResult result =
      plugin.PreScore(EmptyCluster(), pod, CandidateNodes(nodes));
  ASSERT_TRUE(result.status.ok());
  std::vector<std::int64_t> scores;
  for (const NodeInfo* node : nodes) {
    scores.push_back(result.score->Score(*node));
  }
  EXPECT_EQ(scores, (std::vector<std::int64_t>{35, 5, 0}));
  result.score->Normalize(CandidateNodes(nodes), scores);
  EXPECT_EQ(scores, (std::vector<std::int64_t>{100, 14, 0}));
  // The added terms alone suffice.
  EXPECT_TRUE(plugin.PreScore(EmptyCluster(), WithSpec("{}"), {}).status.ok());
}

TEST(NodeAffinityScoreTest, PreferredTermsThatDoNotParseAreAnError) {
  const PodInfo pod =
      Preferring(R"([{"weight":1,"preference":{"matchExpressions":)"
                 R"([{"key":"zone","operator":"In"}]}}])");
  const Status status =
      NodeAffinityPlugin({}).PreScore(EmptyCluster(), pod, {}).status;
  EXPECT_EQ(status.code(), Code::kError);
  EXPECT_EQ(status.Message(),
            "[0].matchExpressions[0].values: Invalid value: null: for 'in', "
            "'notin' operators, values set can't be empty");
}

TEST(NodeAffinityArgsTest, TermsMustParse) {
  EXPECT_TRUE(Validate(NodeAffinityArgs{}).ok());
  EXPECT_TRUE(
      Validate(Adding(R"({"requiredDuringSchedulingIgnoredDuringExecution":)"
                      R"({"nodeSelectorTerms":[{}]}})"))
          .ok());
  EXPECT_EQ(
      Validate(
          Adding(R"({"requiredDuringSchedulingIgnoredDuringExecution":)"
                 R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata)"
                 R"(.name","operator":"Gt"}]}]}})"))
          .message(),
      "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution."
      "nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "
      "\"Gt\": "
      "supported values: \"In\", \"NotIn\"");
  EXPECT_EQ(
      Validate(Adding(R"({"preferredDuringSchedulingIgnoredDuringExecution":)"
                      R"([{"weight":1,"preference":{"matchFields":[{"key":)"
                      R"("metadata.name","operator":"Gt"}]}}]})"))
          .message(),
      "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
      "matchFields[0].operator: Unsupported value: \"Gt\": supported values: "
      "\"In\", \"NotIn\"");
}

}  // namespace
}  // namespace vicinal
