#include "core/simulate/scenario.h"

#include <gtest/gtest.h>

namespace vicinal {
namespace {

std::string Error(const std::string& text) {
  return std::string(ReadScenario(text, "default").status().message());
}

TEST(ScenarioTest, StepsAreActionsAndExpectations) {
  const absl::StatusOr<Scenario> scenario = ReadScenario(R"(
description: why
cluster: cluster.yaml
steps:
- name: begin
  apply: [a.yaml, b.yaml]
  expect:
  - pods: {namespace: shop, labels: {app: web}}
    running: 2
    unmoved: true
    where:
    - {topologyKey: zone, counts: [1, 1]}
    - {topologyKey: zone, oneOf: [{a: 1}, {b: 2}]}
    - {topologyKey: zone, beside: {namespace: shop, labels: {app: db}}}
    pending: 1
    message: {reasons: why, preemption: never}
- scale: {deployment: web, namespace: shop, replicas: 4}
- drain: w1
- uncordon: [w1, w2]
- label: node w1 zone=b
- delete: {pods: {namespace: shop, labels: {app: web}, node: w2}}
)",
                                                         "default");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->cluster, "cluster.yaml");
  ASSERT_EQ(scenario->steps.size(), 6u);
  const Step& first = scenario->steps[0];
  EXPECT_EQ(first.name, "begin");
  EXPECT_EQ(first.actions.at(0).files.size(), 2u);
  const Expectation& expectation = first.expect.at(0);
  EXPECT_EQ(expectation.running, 2);
  EXPECT_EQ(expectation.pending, 1);
  EXPECT_EQ(expectation.reasons, "why");
  EXPECT_TRUE(expectation.unmoved);
  ASSERT_EQ(expectation.where.size(), 3u);
  EXPECT_EQ(expectation.where[1].one_of[1].at("b"), 2);
  EXPECT_EQ(expectation.where[2].beside->labels, (Labels{{"app", "db"}}));
  EXPECT_EQ(scenario->steps[1].name, "scale deployment/web=4");
  EXPECT_EQ(scenario->steps[1].actions.at(0).target.namespace_name, "shop");
  EXPECT_EQ(scenario->steps[3].actions.size(), 2u);
  EXPECT_EQ(scenario->steps[4].actions.at(0).labels.at(0).value, "b");
  EXPECT_EQ(scenario->steps[5].actions.at(0).target.node, "w2");
}

TEST(ScenarioTest, ErrorsNameTheField) {
  EXPECT_EQ(Error("steps: []"), "steps: required");
  EXPECT_EQ(Error("stpes: []"), "stpes: is no field of a scenario");
  EXPECT_EQ(Error("steps: [{drian: w1}]"),
            "steps[0].drian: is no field of a scenario");
  EXPECT_EQ(Error("steps: [{name: a}]"),
            "steps[0]: has neither an action nor expect");
  EXPECT_EQ(Error("steps: [{drain: w1 w2}]"),
            "steps[0].drain: \"w2\" is more than it takes");
  EXPECT_EQ(Error("steps: [{drain: {node: w1}}]"),
            "steps[0].drain: must be text, got an object");
  EXPECT_EQ(Error("steps: [{scale: {replicas: 1}}]"),
            "steps[0].scale: must name a workload: {deployment: web}");
  EXPECT_EQ(Error("steps: [{expect: [{running: 1}]}]"),
            "steps[0].expect[0].pods: required");
  EXPECT_EQ(Error("steps: [{expect: [{pods: {namespace: a, labels: {a: b}}, "
                  "where: [{topologyKey: zone}]}]}]"),
            "steps[0].expect[0].where[0]: topologyKey and exactly one of "
            "counts, oneOf and beside are required");
  EXPECT_EQ(Error("steps: [{expect: [{pods: {namespace: a, labels: {a: b}}, "
                  "runing: 1}]}]"),
            "steps[0].expect[0].runing: is no field of a scenario");
}

}  // namespace
}  // namespace vicinal
