// The explanations that the scenarios of test/scenarios ask for: the clusters
// at the step where a pod stays pending, and what is said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "server/commands/explain/run_explain.h"

namespace vicinal {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

json Explained(const std::string& cluster, const std::string& manifest) {
  ExplainOptions options;
  options.cluster_file = "test/explain/testdata/" + cluster;
  options.manifest = "test/" + manifest;
  options.output = "json";
  std::ostringstream out;
  std::ostringstream err;
  bool fits = true;
  const absl::Status status = RunExplain(options, out, err, &fits);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_FALSE(fits);
  EXPECT_EQ(err.str(), "");
  return json::parse(out.str()).at("explanations").at(0);
}

std::vector<std::string> HintsOf(const json& explanation) {
  std::vector<std::string> hints;
  for (const json& hint : explanation["hints"]) {
    hints.push_back(hint["text"].get<std::string>());
  }
  return hints;
}

// The pods in the way of each node, by its first cause.
std::map<std::string, std::set<std::string>> Blocking(const json& explanation) {
  std::map<std::string, std::set<std::string>> blocking;
  for (const json& node : explanation["nodes"]) {
    std::set<std::string>& pods = blocking[node["name"].get<std::string>()];
    const json& cause = node["causes"].at(0);
    if (!cause.contains("blockingPods")) continue;
    for (const json& pod : cause["blockingPods"]) {
      pods.insert(pod["name"].get<std::string>());
    }
  }
  return blocking;
}

TEST(ExplainScenarioTest, S2ThirdRedisIsToldTheRuleAndThePodOfEachNode) {
  const json explanation =
      Explained("s2-cluster.yaml", "scenarios/s2/checkout-redis.yaml");
  EXPECT_EQ(Blocking(explanation),
            (std::map<std::string, std::set<std::string>>{
                {"node-1", {"redis-1"}}, {"node-2", {"redis-2"}}}));
  for (const json& node : explanation["nodes"]) {
    EXPECT_EQ(node["causes"].at(0)["rule"],
              "spec.template.spec.affinity.podAntiAffinity."
              "requiredDuringSchedulingIgnoredDuringExecution[0]");
  }
  EXPECT_THAT(HintsOf(explanation),
              UnorderedElementsAre("Only checkout/redis-1 blocks node-1.",
                                   "Only checkout/redis-2 blocks node-2."));
}

TEST(ExplainScenarioTest, S3WrongKeyIsToldThatNoNodeHasIt) {
  const json explanation =
      Explained("s3-cluster.yaml", "explain/testdata/s3-blackbox.yaml");
  EXPECT_EQ(explanation["message"],
            "0/7 nodes are available: 1 node(s) had untolerated taint(s), 6 "
            "node(s) didn't match pod affinity rules.");
  EXPECT_THAT(
      HintsOf(explanation),
      Contains(HasSubstr(
          "No node has the label topology.kubernetes.io/hostname, the "
          "topologyKey of spec.template.spec.affinity.podAffinity."
          "requiredDuringSchedulingIgnoredDuringExecution[0]. Did you mean "
          "kubernetes.io/hostname?")));
}

TEST(ExplainScenarioTest, S4RollingUpdateIsToldWhichOldPodsAreInTheWay) {
  const json explanation =
      Explained("s4-cluster.yaml", "explain/testdata/s4-web.yaml");
  EXPECT_EQ(
      Blocking(explanation),
      (std::map<std::string, std::set<std::string>>{{"w1", {"web-old-1"}},
                                                    {"w2", {"web-old-2"}},
                                                    {"w3", {"web-old-3"}},
                                                    {"w4", {"web-old-4"}}}));
  EXPECT_THAT(HintsOf(explanation),
              Contains("Only grouping/web-old-1 blocks w1."));
}

TEST(ExplainScenarioTest, S5ThirdReplicaIsToldWhichRegionsAreTaken) {
  const json explanation =
      Explained("s5-cluster.yaml", "scenarios/s5/hard-by-region.yaml");
  EXPECT_EQ(explanation["message"],
            "0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 "
            "node(s) didn't match pod anti-affinity rules.");
  EXPECT_EQ(
      Blocking(explanation),
      (std::map<std::string, std::set<std::string>>{{"a", {"shop-1"}},
                                                    {"b", {"shop-1"}},
                                                    {"c", {"shop-2"}},
                                                    {"control-plane", {}}}));
  for (const json& node : explanation["nodes"]) {
    if (node["name"] != "a") continue;
    EXPECT_EQ(node["causes"].at(0)["topologyKey"],
              "topology.kubernetes.io/region");
    EXPECT_EQ(node["causes"].at(0)["domain"], "west");
  }
}

}  // namespace
}  // namespace vicinal
