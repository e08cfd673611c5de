#include "core/model/pod_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;

TEST(PodRulesTest, CostsWhatAQuestionsCostGrowsWith) {
  EXPECT_EQ(RuleCost(Pod()), 0);
  EXPECT_EQ(RuleCost(ParsePod(R"(
metadata: {name: p, namespace: default}
spec:
  affinity:
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 1, podAffinityTerm: {topologyKey: zone, namespaces: [a, b]}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {matchLabels: {app: web}, matchExpressions: [{key: app, operator: In, values: [u, v, w]}]}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
)")),
            12 + (10 + 1 + 4) + 11);
}

TEST(PodRulesTest, TermsAboutManyNamespacesCostMore) {
  PodAffinityTerm term;
  term.topology_key = "zone";
  term.namespace_selector.emplace();
  term.label_selector.emplace();
  const auto cost = [&term] {
    Pod pod;
    pod.spec.affinity.emplace().pod_anti_affinity.emplace().required = {term};
    return RuleCost(pod);
  };
  term.label_selector->match_expressions = {{"app", "NotIn", {"x"}}};
  EXPECT_EQ(cost(), 10 + 2 + 40 + 360);
  term.namespaces = {"a", "b"};
  EXPECT_EQ(cost(), 10 + 2 + 40 + 360 + 20);
  term.label_selector->match_expressions.push_back({"app", "In", {"y"}});
  EXPECT_EQ(cost(), 10 + 4 + 40 + 2);
}

TEST(PodRulesTest, MoreThanTheLimitIsRefusedWithTheCost) {
  Pod pod;
  PodAffinityTerm term;
  term.topology_key = "zone";
  auto& terms =
      pod.spec.affinity.emplace().pod_anti_affinity.emplace().required;
  terms.assign(kMaxRuleCost / 10, term);
  EXPECT_TRUE(CheckRules(pod).ok());
  terms.push_back(term);
  EXPECT_EQ(CheckRules(pod).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(CheckRules(pod).message()),
              HasSubstr("cost 4010, which is more than 4000"));
}

}  // namespace
}  // namespace vicinal
