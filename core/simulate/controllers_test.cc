// Each controller in a cluster of three nodes, together with the scheduler.
#include "core/simulate/controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simulate/testing/simulation.h"

namespace vicinal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using PerNode = std::map<std::string, int>;

constexpr char kNoNodeLeft[] =
    "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.";

std::string Revised(std::string yaml) {
  const std::string from = "spec: {";
  yaml.replace(yaml.find(from), from.size(),
               "spec: {containers: [{name: c, image: 'web:2'}], ");
  return yaml;
}

int Running(const Simulation& simulation, std::string_view name) {
  int running = 0;
  for (const auto& [node, count] : simulation.PerNode("app", name)) {
    running += count;
  }
  return running;
}

TEST(ReplicaSetTest, MakesItsPodsAndReplacesThem) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("ReplicaSet", "web", 3));
  EXPECT_THAT(simulation.PerNode("app", "web"),
              ElementsAre(Pair("w1", 1), Pair("w2", 1), Pair("w3", 1)))
      << "the default spread needs the ReplicaSet as the owner";
  simulation.Do("delete pod/" + simulation.Names("app", "web").front());
  EXPECT_EQ(Running(simulation, "web"), 3);
}

TEST(ReplicaSetTest, PendingPodsGoFirst) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("ReplicaSet", "web", 5,
                                AwayFrom("web", "kubernetes.io/hostname")));
  EXPECT_THAT(simulation.Messages(), ElementsAre(kNoNodeLeft, kNoNodeLeft));
  simulation.Do("scale rs/web=3");
  EXPECT_THAT(simulation.Messages(), IsEmpty());
  EXPECT_EQ(Running(simulation, "web"), 3);
}

TEST(ReplicaSetTest, PodsThatShareANodeGoNext) {
  Simulation simulation(kThreeNodes);
  simulation.Do("cordon w3");
  simulation.Apply(WorkloadYaml("ReplicaSet", "web", 3));
  simulation.Do("uncordon w3");
  simulation.Do("scale rs/web=2");
  EXPECT_THAT(simulation.PerNode("app", "web"),
              ElementsAre(Pair("w1", 1), Pair("w2", 1)));
}

TEST(ReplicationControllerTest, MakesItsPods) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("ReplicationController", "web", 2));
  EXPECT_EQ(Running(simulation, "web"), 2);
}

TEST(VirtualMachineTest, LaunchersHaveWhatTheMachineAsksFor) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml(
      "VirtualMachineInstanceReplicaSet", "vm", 4,
      AwayFrom("vm", "zone") + ", domain: {memory: {guest: 4Gi}}"));
  EXPECT_THAT(simulation.PerNode("app", "vm"), SizeIs(3));
  EXPECT_THAT(simulation.Messages(), ElementsAre(kNoNodeLeft));
  simulation.Apply(WorkloadYaml("VirtualMachineInstanceReplicaSet", "big", 1,
                                "domain: {memory: {guest: 5Gi}}"));
  EXPECT_THAT(simulation.Messages(),
              testing::Contains(HasSubstr("3 Insufficient memory")));
}

TEST(DeploymentTest, ScalesItsReplicaSet) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 2));
  EXPECT_EQ(Running(simulation, "web"), 2);
  simulation.Do("scale deployment/web=6");
  EXPECT_EQ(simulation.PerNode("app", "web"),
            (PerNode{{"w1", 2}, {"w2", 2}, {"w3", 2}}));
  simulation.Do("scale deployment/web=0");
  EXPECT_EQ(Running(simulation, "web"), 0);
}

TEST(DeploymentTest, RollsANewTemplateOut) {
  Simulation simulation(kThreeNodes);
  const std::string yaml = WorkloadYaml("Deployment", "web", 4);
  simulation.Apply(yaml);
  const std::vector<std::string> before = simulation.Names("app", "web");
  simulation.Apply(yaml);
  EXPECT_EQ(simulation.Names("app", "web"), before) << "nothing has changed";
  simulation.Apply(Revised(yaml));
  const std::vector<std::string> after = simulation.Names("app", "web");
  EXPECT_THAT(after, SizeIs(4));
  for (const std::string& name : before) {
    EXPECT_THAT(after, testing::Not(testing::Contains(name)));
  }
  EXPECT_EQ(Running(simulation, "web"), 4);
}

TEST(DeploymentTest, ARestartRollsOutTheSameTemplate) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 2));
  const std::vector<std::string> before = simulation.Names("app", "web");
  simulation.Do("rollout restart deployment/web");
  EXPECT_THAT(simulation.Names("app", "web"), SizeIs(2));
  EXPECT_NE(simulation.Names("app", "web"), before);
}

TEST(DeploymentTest, WithoutSpareNodesARollOutSticksAtItsSurge) {
  Simulation simulation(kThreeNodes);
  const std::string yaml = WorkloadYaml(
      "Deployment", "web", 3, AwayFrom("web", "kubernetes.io/hostname"));
  simulation.Apply(yaml);
  simulation.Apply(Revised(yaml));
  // 25% of 3 are 1 pod more and 0 fewer.
  EXPECT_EQ(Running(simulation, "web"), 3);
  EXPECT_THAT(simulation.Messages(), ElementsAre(kNoNodeLeft));
}

TEST(DeploymentTest, WithMaxUnavailableItGetsThrough) {
  Simulation simulation(kThreeNodes);
  const std::string yaml = WorkloadYaml(
      "Deployment", "web", 3, AwayFrom("web", "kubernetes.io/hostname"),
      "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}");
  simulation.Apply(yaml);
  const std::vector<std::string> before = simulation.Names("app", "web");
  simulation.Apply(Revised(yaml));
  EXPECT_EQ(Running(simulation, "web"), 3);
  EXPECT_THAT(simulation.Messages(), IsEmpty());
  for (const std::string& name : before) {
    EXPECT_THAT(simulation.Names("app", "web"),
                testing::Not(testing::Contains(name)));
  }
}

TEST(DeploymentTest, RecreateNeedsNoSpareNode) {
  Simulation simulation(kThreeNodes);
  const std::string yaml = WorkloadYaml(
      "Deployment", "web", 3, AwayFrom("web", "kubernetes.io/hostname"),
      "strategy: {type: Recreate}");
  simulation.Apply(yaml);
  simulation.Apply(Revised(yaml));
  EXPECT_EQ(Running(simulation, "web"), 3);
  EXPECT_THAT(simulation.Messages(), IsEmpty());
}

TEST(DeploymentTest, ADeploymentKnownByItsReplicaSetCanBeScaled) {
  Simulation simulation(R"({"kind": "List", "items": [
    {"kind": "Node", "metadata": {"name": "w1"},
     "status": {"allocatable": {"pods": 9}}},
    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {
      "name": "web-1", "namespace": "default", "ownerReferences": [
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web",
         "controller": true}]},
     "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web",
       "pod-template-hash": "1"}}, "template": {"metadata": {"labels": {
         "app": "web", "pod-template-hash": "1"}}, "spec": {}}}},
    {"kind": "Pod", "metadata": {"name": "web-1-x", "namespace": "default",
      "labels": {"app": "web", "pod-template-hash": "1"},
      "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet",
        "name": "web-1", "controller": true}]},
     "spec": {"nodeName": "w1"}}]})");
  simulation.Do("scale deployment/web=3");
  EXPECT_EQ(simulation.PerNode("pod-template-hash", "1"), (PerNode{{"w1", 3}}))
      << "it is the template of the ReplicaSet that is there";
  EXPECT_THAT(simulation.Names("app", "web"), testing::Contains("web-1-x"));
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre(HasSubstr("known by its ReplicaSets only")));
}

TEST(StatefulSetTest, EachPodWaitsForTheOneBeforeIt) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("StatefulSet", "db", 5,
                                AwayFrom("db", "kubernetes.io/hostname")));
  EXPECT_THAT(simulation.Names("app", "db"),
              ElementsAre("db-0", "db-1", "db-2", "db-3"));
  EXPECT_THAT(simulation.Messages(), ElementsAre(kNoNodeLeft));
}

TEST(StatefulSetTest, InParallelNoneWaits) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("StatefulSet", "db", 5,
                                AwayFrom("db", "kubernetes.io/hostname"),
                                "podManagementPolicy: Parallel"));
  EXPECT_THAT(simulation.Messages(), SizeIs(2));
}

TEST(StatefulSetTest, TheLastOnesGoFirst) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("StatefulSet", "db", 3));
  simulation.Do("scale sts/db=1");
  EXPECT_THAT(simulation.Names("app", "db"), ElementsAre("db-0"));
}

TEST(StatefulSetTest, RollsOutOneAfterTheOther) {
  Simulation simulation(kThreeNodes);
  const std::string yaml = WorkloadYaml(
      "StatefulSet", "db", 3, AwayFrom("db", "kubernetes.io/hostname"));
  simulation.Apply(yaml);
  const PerNode before = simulation.PerNode("app", "db");
  simulation.Apply(Revised(yaml));
  EXPECT_EQ(simulation.PerNode("app", "db"), before)
      << "each finds but the node it came from";
  for (const std::string& name : simulation.Names("app", "db")) {
    const Pod pod = simulation.simulated().PodAt({"default", name});
    EXPECT_EQ(pod.spec.containers.at(0).image, "web:2");
  }
}

TEST(DaemonSetTest, RunsOnEachNodeThatItTolerates) {
  Simulation simulation(kThreeNodes);
  simulation.Do("taint node w3 dedicated=x:NoSchedule");
  simulation.Do("cordon w2");
  simulation.Apply(WorkloadYaml("DaemonSet", "agent", 0));
  EXPECT_EQ(simulation.PerNode("app", "agent"), (PerNode{{"w1", 1}, {"w2", 1}}))
      << "cordoned nodes are tolerated";
  simulation.Do("taint node w3 dedicated-");
  EXPECT_EQ(Running(simulation, "agent"), 3);
  simulation.Do("add-node w1=2");
  EXPECT_EQ(Running(simulation, "agent"), 5);
  simulation.Do("remove-node w1");
  EXPECT_EQ(Running(simulation, "agent"), 4);
  simulation.Do("drain w2");
  EXPECT_EQ(Running(simulation, "agent"), 4) << "a drain leaves it";
}

TEST(DaemonSetTest, RollsOut) {
  Simulation simulation(kThreeNodes);
  const std::string yaml = WorkloadYaml("DaemonSet", "agent", 0);
  simulation.Apply(yaml);
  const std::vector<std::string> before = simulation.Names("app", "agent");
  simulation.Apply(Revised(yaml));
  EXPECT_EQ(simulation.PerNode("app", "agent"),
            (PerNode{{"w1", 1}, {"w2", 1}, {"w3", 1}}));
  for (const std::string& name : before) {
    EXPECT_THAT(simulation.Names("app", "agent"),
                testing::Not(testing::Contains(name)));
  }
}

constexpr char kJob[] = R"(
kind: Job
metadata: {name: sum}
spec:
  parallelism: 2
  completions: 5
  template: {metadata: {labels: {app: sum}}, spec: {}}
)";

TEST(JobTest, RunsAsManyPodsAsItMay) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(kJob);
  EXPECT_EQ(Running(simulation, "sum"), 2);
  EXPECT_THAT(simulation.Names("job-name", "sum"), SizeIs(2));
}

TEST(JobTest, UntilStableItRunsToCompletion) {
  int placed = 0;
  SimulatorOptions options;
  options.until_stable = true;
  options.on_placement = [&placed](const SimulatedCluster&, const PodInfo&,
                                   const std::string&) { ++placed; };
  Simulation simulation(kThreeNodes, options);
  simulation.Apply(kJob);
  EXPECT_EQ(Running(simulation, "sum"), 0);
  EXPECT_EQ(placed, 5);
}

TEST(CronJobTest, RunsOnce) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(R"(
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 0 * * *"
  jobTemplate: {spec: {template: {metadata: {labels: {app: nightly}}, spec: {}}}}
)");
  EXPECT_EQ(Running(simulation, "nightly"), 1);
}

}  // namespace
}  // namespace vicinal
