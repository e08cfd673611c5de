#include "core/simulate/spread_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/model/kubernetes_release.h"
#include "core/simulate/testing/simulation.h"

namespace vicinal {
namespace {

using testing::SizeIs;

SpreadReport SpreadBy(Simulation& simulation, std::string_view key) {
  for (const SpreadReport& spread : ReportSpreads(simulation.simulated())) {
    if (spread.topology_key == key) return spread;
  }
  ADD_FAILURE() << "no spread by " << key;
  return {};
}

// A spread constraint by zone with further fields.
std::string ByZone(std::string_view fields) {
  return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
         "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
         "web}}, " +
         std::string(fields) + "}]";
}

TEST(SpreadReportTest, ADrainedDomainCountsAsTheRuleSays) {
  Simulation honors(kThreeNodes);
  honors.Apply(
      WorkloadYaml("Deployment", "web", 6, ByZone("nodeTaintsPolicy: Honor")));
  honors.Do("drain w2");
  const SpreadReport without = SpreadBy(honors, "zone");
  EXPECT_EQ(without.skew_after, 0);
  EXPECT_EQ(without.minimum_after, 3);
  EXPECT_TRUE(without.domains.at("z2").was_there);
  EXPECT_FALSE(without.domains.at("z2").is_there);

  Simulation ignores(kThreeNodes);
  ignores.Apply(
      WorkloadYaml("Deployment", "web", 6, ByZone("nodeTaintsPolicy: Ignore")));
  ignores.Do("drain w2");
  const SpreadReport with = SpreadBy(ignores, "zone");
  EXPECT_TRUE(with.domains.at("z2").is_there);
  EXPECT_EQ(with.minimum_after, 0);
}

TEST(SpreadReportTest, ATolerationMayCompareNumbersIfTheSchedulersDo) {
  const auto domains = [](bool taint_comparisons) {
    KubernetesRelease release;
    release.taint_comparisons = taint_comparisons;
    Simulation simulation(kThreeNodes, {}, release);
    simulation.Do("taint node w2 level=7:NoSchedule");
    simulation.Apply(WorkloadYaml(
        "Deployment", "web", 1,
        ByZone("nodeTaintsPolicy: Honor") +
            ", tolerations: [{key: level, operator: Gt, value: '5'}]"));
    return DomainCount(SpreadBy(simulation, "zone"), When::kAfter);
  };
  EXPECT_EQ(domains(false), 2);
  EXPECT_EQ(domains(true), 3);
}

TEST(SpreadReportTest, PodsMayRunWhereTheyDoNotCount) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(
      WorkloadYaml("Deployment", "web", 3, ByZone("nodeTaintsPolicy: Honor")));
  simulation.Do("cordon w2");
  const SpreadReport spread = SpreadBy(simulation, "zone");
  EXPECT_EQ(spread.domains.at("z2").after, 1);
  EXPECT_FALSE(spread.domains.at("z2").Counts(When::kAfter));
  EXPECT_EQ(Histogram(spread, When::kAfter), "2 with 1");
}

TEST(SpreadReportTest, NodesThatThePodsMayNotRunOnCountIfTheRuleSaysSo) {
  const auto domains = [](std::string_view policy) {
    Simulation simulation(kThreeNodes);
    simulation.Do("label node w1 disk=ssd");
    simulation.Apply(
        WorkloadYaml("Deployment", "web", 1,
                     ByZone(policy) + ", nodeSelector: {disk: ssd}"));
    return DomainCount(SpreadBy(simulation, "zone"), When::kAfter);
  };
  EXPECT_EQ(domains("nodeAffinityPolicy: Honor"), 1);
  EXPECT_EQ(domains("nodeAffinityPolicy: Ignore"), 3);
}

TEST(SpreadReportTest, OfManyDomainsThoseWithoutPodsAreCounted) {
  Simulation simulation(kThreeNodes);
  simulation.Do("add-nodes 97 --like w3");
  simulation.Apply(WorkloadYaml("Deployment", "web", 2,
                                AwayFrom("web", "kubernetes.io/hostname")));
  const SpreadReport spread = SpreadBy(simulation, "kubernetes.io/hostname");
  EXPECT_THAT(spread.domains, SizeIs(2));
  EXPECT_EQ(spread.empty_after, 98);
  EXPECT_EQ(spread.empty_before, 3);
  EXPECT_EQ(spread.skew_after, 1);
  EXPECT_EQ(DomainCount(spread, When::kAfter), 100);
  EXPECT_EQ(Histogram(spread, When::kAfter), "98 with 0, 2 with 1");
}

}  // namespace
}  // namespace vicinal
