#include "core/simulate/simulation_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simulate/testing/simulation.h"

namespace vicinal {
namespace {

using testing::SizeIs;

const SpreadReport& SpreadBy(const Report& report, std::string_view key) {
  for (const SpreadReport& spread : report.spreads) {
    if (spread.topology_key == key) return spread;
  }
  ADD_FAILURE() << "no spread by " << key;
  static const SpreadReport kNone;
  return kNone;
}

// A dump: two pods of a StatefulSet and one that waits.
constexpr char kDump[] = R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "w1", "labels": {"zone": "z1",
    "kubernetes.io/hostname": "w1"}},
   "status": {"allocatable": {"pods": 20}}},
  {"kind": "Node", "metadata": {"name": "w2", "labels": {"zone": "z2",
    "kubernetes.io/hostname": "w2"}},
   "status": {"allocatable": {"pods": 20}}},
  {"kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {"replicas": 2,
    "selector": {"matchLabels": {"app": "db"}}, "template": {"metadata":
    {"labels": {"app": "db"}}, "spec": {"topologySpreadConstraints": [
      {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable":
       "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": "db"}}}]}}}},
  {"kind": "Pod", "metadata": {"name": "db-0", "labels": {"app": "db"},
    "ownerReferences": [{"kind": "StatefulSet", "name": "db",
                         "controller": true}]}, "spec": {"nodeName": "w1"}},
  {"kind": "Pod", "metadata": {"name": "db-1", "labels": {"app": "db"},
    "ownerReferences": [{"kind": "StatefulSet", "name": "db",
                         "controller": true}]}, "spec": {"nodeName": "w2"}},
  {"kind": "Pod", "metadata": {"name": "waits"},
   "spec": {"nodeSelector": {"disk": "ssd"}}}]})";

TEST(ReportTest, SaysWherePodsWentAndWhereTheyWere) {
  Simulation simulation(kDump);
  simulation.Do("drain w2");
  const Report report = BuildReport(simulation.simulated(), false);
  ASSERT_THAT(report.pods, SizeIs(2));
  const PodReport& moved = report.pods[0];
  EXPECT_EQ(moved.pod.name, "db-1");
  EXPECT_EQ(moved.fate, Fate::kMoved);
  EXPECT_EQ(moved.node_before, "w2");
  EXPECT_EQ(moved.node, "w1");
  EXPECT_EQ(moved.workload, "StatefulSet/db");
  const PodReport& waits = report.pods[1];
  EXPECT_EQ(waits.fate, Fate::kUnchanged);
  EXPECT_EQ(waits.node, "");
  EXPECT_EQ(waits.message,
            "0/2 nodes are available: 1 node(s) didn't match Pod's node "
            "affinity/selector, 1 node(s) were unschedulable.");
  EXPECT_EQ(report.running_before, 2);
  EXPECT_EQ(report.running, 2);
  EXPECT_EQ(report.pending_before, 1);
  EXPECT_EQ(report.pending, 1);
  EXPECT_THAT(BuildReport(simulation.simulated(), true).pods, SizeIs(3));
}

TEST(ReportTest, CountsDomainsBeforeAndAfterByTheKeysOfTheRules) {
  Simulation simulation(kDump);
  simulation.Do("drain w2");
  const Report report = BuildReport(simulation.simulated(), false);
  EXPECT_THAT(report.spreads, SizeIs(2));
  const SpreadReport& zones = SpreadBy(report, "zone");
  EXPECT_EQ(zones.workload, "StatefulSet/db");
  EXPECT_EQ(zones.domains.at("z1").before, 1);
  EXPECT_EQ(zones.domains.at("z1").after, 2);
  EXPECT_EQ(zones.domains.at("z2").after, 0);
  EXPECT_EQ(zones.skew_before, 0);
  EXPECT_EQ(zones.skew_after, 2);
  EXPECT_EQ(SpreadBy(report, "kubernetes.io/hostname").skew_after, 2);
}

TEST(ReportTest, ANodeThatIsGoneCountsBefore) {
  Simulation simulation(kDump);
  simulation.Do("remove-node w2");
  const Report report = BuildReport(simulation.simulated(), false);
  const SpreadReport& zones = SpreadBy(report, "zone");
  EXPECT_EQ(zones.domains.at("z2").before, 1);
  EXPECT_EQ(zones.domains.at("z2").after, 0);
  EXPECT_EQ(report.nodes, 1);
}

TEST(ReportTest, NewAndGonePodsBelongToTheirDeployment) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 2));
  const Report report = BuildReport(simulation.simulated(), false);
  ASSERT_THAT(report.pods, SizeIs(2));
  EXPECT_EQ(report.pods[0].fate, Fate::kNew);
  EXPECT_EQ(report.pods[0].workload, "Deployment/web");
  simulation.Do("delete deployment/web");
  EXPECT_THAT(BuildReport(simulation.simulated(), false).pods, SizeIs(0))
      << "what came and went has left no trace";
}

TEST(ReportTest, ADomainThatIsGoneCountsForNoSkew) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml(
      "Deployment", "web", 6,
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
      "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
      "web}}}]"));
  simulation.Do("remove-node -l zone=z2");
  const Report report = BuildReport(simulation.simulated(), false);
  const SpreadReport& by_zone = SpreadBy(report, "zone");
  EXPECT_EQ(by_zone.skew_after, 0);
  EXPECT_EQ(by_zone.minimum_after, 3);
  EXPECT_TRUE(by_zone.domains.at("z2").was_there);
  EXPECT_FALSE(by_zone.domains.at("z2").is_there);
  EXPECT_EQ(report.broken, 0);
  EXPECT_EQ(report.pending, 0);
}

TEST(ReportTest, PodsThatCameBackElsewhereHaveMoved) {
  Simulation simulation(kDump);
  simulation.Do("drain w2");
  simulation.Apply(WorkloadYaml("Deployment", "web", 2));
  const Report report = BuildReport(simulation.simulated(), false, 7);
  EXPECT_EQ(report.moved, 1);
  EXPECT_EQ(report.started, 2);
  EXPECT_EQ(report.stopped, 0);
  EXPECT_EQ(report.broken_before, 7);
}

TEST(ReportTest, RulesThatAreBrokenAreCounted) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml(
      "Deployment", "web", 3,
      "affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
      "labelSelector: {matchLabels: {app: web}}}]}}"));
  EXPECT_EQ(CountBrokenRules(simulation.simulated().cluster()), 0);
  simulation.Do("label node w1 zone=z2");
  // Each of the two is in the other's way.
  EXPECT_EQ(CountBrokenRules(simulation.simulated().cluster()), 2);
}

TEST(ReportTest, ASpreadHasItsRule) {
  Simulation simulation(kDump);
  simulation.Do("drain w2");
  const Report report = BuildReport(simulation.simulated(), false);
  const SpreadReport& by_zone = SpreadBy(report, "zone");
  ASSERT_TRUE(by_zone.rule);
  EXPECT_EQ(by_zone.rule->path,
            "spec.template.spec.topologySpreadConstraints[0]");
  EXPECT_FALSE(by_zone.rule->hard);
  EXPECT_EQ(by_zone.rule->max_skew, 1);
  EXPECT_EQ(by_zone.minimum_before, 1);
  EXPECT_EQ(by_zone.minimum_after, 0);
  EXPECT_FALSE(SpreadBy(report, "kubernetes.io/hostname").rule);
}

}  // namespace
}  // namespace vicinal
