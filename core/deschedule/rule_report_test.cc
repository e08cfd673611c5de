#include "core/deschedule/rule_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Web(int number, const std::string& spec) {
  return absl::StrCat("{metadata: {name: web-", number,
                      ", namespace: shop, labels: {app: web}, "
                      "ownerReferences: [{apiVersion: apps/v1, kind: "
                      "ReplicaSet, controller: true, name: web-1a}]}, spec: ",
                      spec, "}");
}

std::string Spread(const std::string& action) {
  return absl::StrCat(
      "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
      "whenUnsatisfiable: ",
      action, ", labelSelector: {matchLabels: {app: web}}}]}");
}

class RuleReportTest : public ::testing::Test {
 protected:
  RuleReportTest() {
    AddNode(cluster_, "n1", {{"zone", "a"}});
    AddNode(cluster_, "n2", {{"zone", "b"}});
    AddObjects(cluster_, R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-1a
  namespace: shop
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, controller: true,
                     name: web}]
spec: {selector: {matchLabels: {app: web}}}
)");
  }

  ClusterState cluster_;
};

TEST_F(RuleReportTest, TellsTheSkewOfEachConstraintByDomain) {
  for (int i = 0; i < 3; ++i) {
    AddPod(cluster_, "n1", Web(i, Spread("DoNotSchedule")));
  }
  const RuleReport report = ReportRules(cluster_, 10);
  ASSERT_THAT(report.spreads, SizeIs(1));
  const SpreadNow& spread = report.spreads[0];
  EXPECT_EQ(spread.workload, "shop/web");
  EXPECT_EQ(spread.topology_key, "zone");
  EXPECT_EQ(spread.selector, "app=web");
  EXPECT_TRUE(spread.hard);
  EXPECT_EQ(spread.skew, 3);
  EXPECT_EQ(spread.minimum, 0);
  EXPECT_EQ(spread.excess, 2);
  ASSERT_THAT(spread.domains, SizeIs(2));
  EXPECT_EQ(spread.domains[0].value, "a");
  EXPECT_EQ(spread.domains[0].pods, 3);
  EXPECT_EQ(spread.domains[1].pods, 0);
  EXPECT_EQ(report.broken_spread_count, 1u);
}

TEST_F(RuleReportTest, ASoftConstraintIsNotBroken) {
  for (int i = 0; i < 3; ++i) {
    AddPod(cluster_, "n1", Web(i, Spread("ScheduleAnyway")));
  }
  const RuleReport report = ReportRules(cluster_, 10);
  ASSERT_THAT(report.spreads, SizeIs(1));
  EXPECT_FALSE(report.spreads[0].hard);
  EXPECT_EQ(report.broken_spread_count, 0u);
}

TEST_F(RuleReportTest, TheWorstConstraintsComeFirstAndTheOthersAreCounted) {
  AddPod(cluster_, "n1", Web(0, Spread("ScheduleAnyway")));
  AddPod(cluster_, "n1", Web(1, Spread("DoNotSchedule")));
  AddPod(cluster_, "n1", Web(2, Spread("DoNotSchedule")));
  const RuleReport report = ReportRules(cluster_, 1);
  EXPECT_EQ(report.spread_count, 2u);
  ASSERT_THAT(report.spreads, SizeIs(1));
  EXPECT_TRUE(report.spreads[0].hard);
}

TEST_F(RuleReportTest, OfManyDomainsTheFullestAreListed) {
  for (int i = 0; i < 50; ++i) {
    AddNode(cluster_, absl::StrCat("m", i), {{"zone", absl::StrCat("m", i)}});
  }
  AddPod(cluster_, "m49", Web(0, Spread("DoNotSchedule")));
  const RuleReport report = ReportRules(cluster_, 1);
  ASSERT_THAT(report.spreads, SizeIs(1));
  EXPECT_EQ(report.spreads[0].domain_count, 52u);
  const auto& domains = report.spreads[0].domains;
  EXPECT_THAT(domains, SizeIs(SpreadNow::kMostListedDomains));
  EXPECT_EQ(domains.back().value, "m49");
}

TEST_F(RuleReportTest, CountsThePodsThatBreakHardRulesByWorkload) {
  const std::string apart = Web(
      0,
      "{affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
      "labelSelector: {matchLabels: {app: db}}}]}}, nodeSelector: {zone: b}}");
  AddPod(cluster_, "n1", apart);
  AddPod(cluster_, "n1",
         "{metadata: {name: db, namespace: shop, labels: {app: db}}}");
  AddPod(cluster_, "n2",
         "{metadata: {name: db2, namespace: shop, labels: {app: db}}}");
  const RuleReport report = ReportRules(cluster_, 10);
  std::vector<std::string> broken;
  for (const BrokenRule& rule : report.broken) {
    broken.push_back(absl::StrCat(
        rule.workload, " ", std::string(NameOf(rule.kind)), " ", rule.pods));
  }
  EXPECT_THAT(
      broken,
      ElementsAre("shop/web RemovePodsViolatingNodeAffinity 1",
                  "shop/db RemovePodsViolatingInterPodAntiAffinity 1",
                  "shop/web RemovePodsViolatingInterPodAntiAffinity 1"));
}

TEST_F(RuleReportTest, AClusterThatBreaksNothingHasNothingToTell) {
  AddPod(cluster_, "n1", Web(0, Spread("DoNotSchedule")));
  const RuleReport report = ReportRules(cluster_, 10);
  EXPECT_EQ(report.broken_spread_count, 0u);
  EXPECT_EQ(report.spreads.at(0).skew, 1);
  EXPECT_THAT(report.broken, IsEmpty());
}

TEST_F(RuleReportTest, SkewAndBrokenRulesAreToldByNamespaceAndKey) {
  for (int i = 0; i < 3; ++i) {
    AddPod(cluster_, "n1", Web(i, Spread("DoNotSchedule")));
  }
  AddPod(cluster_, "n1",
         "{metadata: {name: lost, namespace: other}, spec: {nodeSelector: {no: "
         "where}}}");
  const RuleReport report = ReportRules(cluster_, 0);
  ASSERT_THAT(report.spread_groups, SizeIs(1));
  const SpreadGroup& group = report.spread_groups[0];
  EXPECT_EQ(group.namespace_name, "shop");
  EXPECT_EQ(group.topology_key, "zone");
  EXPECT_EQ(group.skew, 3);
  EXPECT_EQ(group.excess, 2);
  ASSERT_THAT(report.broken_groups, SizeIs(1));
  EXPECT_EQ(report.broken_groups[0].namespace_name, "other");
  EXPECT_EQ(report.broken_groups[0].kind, StrategyKind::kNodeAffinity);
  EXPECT_EQ(report.broken_groups[0].pods, 1);
}

TEST_F(RuleReportTest, HoweverManyNamespacesThereAreFewGroupsAreTold) {
  constexpr std::size_t kNamespaces = 20000;
  for (std::size_t i = 0; i < kNamespaces; ++i) {
    AddPod(cluster_, i % 2 == 0 ? "n1" : "n2",
           absl::StrCat("{metadata: {name: p, namespace: ns", i,
                        ", labels: {app: web}}, spec: {nodeSelector: {no: "
                        "where}, topologySpreadConstraints: [{maxSkew: 1, "
                        "nodeAffinityPolicy: Ignore, topologyKey: zone, "
                        "whenUnsatisfiable: DoNotSchedule, labelSelector: "
                        "{matchLabels: {app: web}}}]}}"));
  }
  const RuleReport report = ReportRules(cluster_, 0);
  EXPECT_EQ(report.spread_group_count, kNamespaces);
  ASSERT_THAT(report.spread_groups, SizeIs(kMostRuleGroups + 1));
  EXPECT_EQ(report.spread_groups.back().namespace_name, "");
  EXPECT_EQ(report.spread_groups.back().skew, 1);
  EXPECT_EQ(report.broken_group_count, kNamespaces);
  ASSERT_THAT(report.broken_groups, SizeIs(kMostRuleGroups + 1));
  EXPECT_EQ(report.broken_groups.back().namespace_name, "");
  std::int64_t pods = 0;
  for (const BrokenGroup& group : report.broken_groups) pods += group.pods;
  EXPECT_EQ(pods, static_cast<std::int64_t>(kNamespaces));
}

}  // namespace
}  // namespace vicinal
