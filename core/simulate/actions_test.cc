// What actions do to a cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/simulate/testing/simulation.h"

namespace vicinal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

using PerNode = std::map<std::string, int>;

TEST(ActionsTest, ADrainedNodeIsEmptyAndStaysSo) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 3));
  simulation.Do("drain w3");
  EXPECT_FALSE(simulation.PerNode("app", "web").contains("w3"));
  simulation.Do("scale deployment/web=8");
  EXPECT_EQ(simulation.PerNode("app", "web"), (PerNode{{"w1", 4}, {"w2", 4}}));
  simulation.Do("uncordon w3");
  EXPECT_EQ(simulation.PerNode("app", "web"), (PerNode{{"w1", 4}, {"w2", 4}}))
      << "nothing moves by itself";
  simulation.Do("scale deployment/web=9");
  EXPECT_EQ(simulation.PerNode("app", "web").at("w3"), 1);
}

// Three nodes with four pods of web, of which `allowed` may be disrupted.
std::string WithBudget(int allowed) {
  std::string items(kThreeNodes);
  items.resize(items.size() - 2);
  int number = 0;
  for (const char* node : {"w3", "w3", "w3", "w1"}) {
    absl::StrAppend(&items, R"(, {"kind": "Pod", "metadata": {"name": "web-)",
                    number++,
                    R"(", "namespace": "default", "labels": {"app": "web"},
            "ownerReferences": [{"apiVersion": "x/v1", "kind": "Custom",
            "name": "web", "controller": true}]}, "spec": {"nodeName": ")",
                    node, R"("}, "status": {"phase": "Running"}})");
  }
  absl::StrAppend(&items, R"(, {"apiVersion": "policy/v1",
      "kind": "PodDisruptionBudget", "metadata": {"name": "web",
      "namespace": "default"}, "spec": {"selector": {"matchLabels":
      {"app": "web"}}}, "status": {"disruptionsAllowed": )",
                  allowed, "}}]}");
  return items;
}

TEST(ActionsTest, ADrainEvictsWhatBudgetsAllowWhileSuccessorsArePlaced) {
  Simulation simulation(WithBudget(1));
  simulation.Do("drain w3");
  EXPECT_FALSE(simulation.PerNode("app", "web").contains("w3"));
  EXPECT_EQ(simulation.Names("app", "web").size(), 4u);
}

TEST(ActionsTest, ADrainLeavesWhatABudgetDoesNotLetGo) {
  Simulation none(WithBudget(0));
  none.Do("drain w3");
  EXPECT_EQ(none.PerNode("app", "web").at("w3"), 3);
  EXPECT_THAT(none.simulated().notes(),
              ElementsAre("drain w3: 3 pods stay: PodDisruptionBudget "
                          "default/web allows no more evictions"));
  // The successor of the first finds no node.
  Simulation full(WithBudget(1));
  full.Do("cordon w1");
  full.Do("cordon w2");
  full.Do("drain w3");
  EXPECT_EQ(full.PerNode("app", "web").at("w3"), 2);
  // Neither does another drain let more go.
  full.Do("drain w3");
  EXPECT_EQ(full.PerNode("app", "web").at("w3"), 2);
}

TEST(ActionsTest, NodesWithALabelGoAtOnce) {
  Simulation simulation(kThreeNodes);
  simulation.Do("label node w1 zone=z2");
  simulation.Apply(WorkloadYaml("Deployment", "web", 6));
  simulation.Do("drain -l zone=z2");
  EXPECT_EQ(simulation.PerNode("app", "web"), (PerNode{{"w3", 6}}));
  simulation.Do("uncordon -l zone=z2,kubernetes.io/hostname=w1");
  simulation.Do("reschedule deployment/web");
  EXPECT_FALSE(simulation.PerNode("app", "web").contains("w2"));
  simulation.Do("remove-node -l zone=z2");
  EXPECT_THAT(simulation.simulated().cluster().Nodes(), SizeIs(1));
  EXPECT_EQ(simulation.TryTo("drain -l zone=z9").message(),
            "drain -l zone=z9: no node has these labels");
}

TEST(ActionsTest, NodesAreAddedAsManyAsAreWantedOrNeeded) {
  Simulation simulation(kThreeNodes);
  simulation.Do("add-nodes 2 --like w3");
  EXPECT_THAT(simulation.simulated().cluster().Nodes(), SizeIs(5));
  simulation.Apply(WorkloadYaml("Deployment", "web", 8,
                                AwayFrom("web", "kubernetes.io/hostname")));
  simulation.Do("add-nodes as-needed --like w3");
  EXPECT_THAT(simulation.simulated().cluster().Nodes(), SizeIs(8));
  EXPECT_THAT(simulation.Messages(), IsEmpty());
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre("add-nodes as-needed --like w3: 3 more nodes are "
                          "enough"));
}

TEST(ActionsTest, NodesThatAreNoHelpAreNotAdded) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(
      WorkloadYaml("Deployment", "web", 5, AwayFrom("web", "zone")));
  simulation.Do("add-nodes as-needed --like w3");
  EXPECT_THAT(simulation.simulated().cluster().Nodes(), SizeIs(3));
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre(HasSubstr("2 pods stay pending with any number")));
  EXPECT_THAT(std::string(simulation.TryTo("add-nodes 2 w3").message()),
              HasSubstr("--like NODE is missing"));
}

TEST(ActionsTest, FillSaysHowManyMoreFitAndWhatStopsTheNext) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 2));
  simulation.Do("fill deployment/web");
  EXPECT_EQ(simulation.PerNode("app", "web"),
            (PerNode{{"w1", 20}, {"w2", 20}, {"w3", 20}}));
  EXPECT_THAT(simulation.Messages(), IsEmpty());
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre("fill deployment/web: 58 more fit, 60 in all; the "
                          "next: 0/3 nodes are available: 3 Too many pods."));
  EXPECT_THAT(std::string(simulation.TryTo("fill deployment/none").message()),
              HasSubstr("there is no deployment/none"));
}

TEST(ActionsTest, FillChangesNothingWhereNoneFits) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(
      WorkloadYaml("Deployment", "web", 3, AwayFrom("web", "zone")));
  simulation.Do("fill deployment/web");
  EXPECT_THAT(simulation.Names("app", "web"), SizeIs(3));
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre(HasSubstr("0 more fit, 3 in all; the next: ")));
}

TEST(ActionsTest, CordonAndUncordonSetTheTaintOfTheNodeController) {
  Simulation simulation(kThreeNodes);
  const auto w1 = [&simulation] {
    return *simulation.simulated().cluster().FindNode("w1")->node;
  };
  simulation.Do("cordon w1");
  EXPECT_TRUE(w1().unschedulable);
  EXPECT_THAT(w1().taints, ElementsAre(Taint{"node.kubernetes.io/unschedulable",
                                             "", "NoSchedule"}));
  simulation.Do("uncordon w1");
  EXPECT_FALSE(w1().unschedulable);
  EXPECT_THAT(w1().taints, IsEmpty());
}

TEST(ActionsTest, APodWithoutControllerIsGoneAndANoteSaysSo) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(
      "---\n{kind: Pod, metadata: {name: lone}, spec: {nodeName: w1}}");
  simulation.Do("drain w1");
  EXPECT_THAT(simulation.simulated().pods(), IsEmpty());
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre("pod default/lone has no controller: it is gone"));
}

TEST(ActionsTest, APodOfAnUnknownControllerIsReplacedByAnEqualOne) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(R"(---
{kind: Pod, metadata: {name: run-x, labels: {app: run},
    ownerReferences: [{apiVersion: batch/v1, kind: Job, name: run,
    controller: true}]}, spec: {nodeName: w1}})");
  simulation.Do("drain w1");
  EXPECT_THAT(simulation.PerNode("app", "run"), SizeIs(1));
  EXPECT_FALSE(simulation.PerNode("app", "run").contains("w1"));
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre(HasSubstr("replaced by equal ones")));
}

TEST(ActionsTest, LabelsAndTaintsDecideAtOnce) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(
      WorkloadYaml("Deployment", "web", 1, "nodeSelector: {disk: ssd}"));
  EXPECT_THAT(simulation.Messages(),
              ElementsAre("0/3 nodes are available: 3 node(s) didn't match "
                          "Pod's node affinity/selector."));
  simulation.Do("label node w2 disk=ssd");
  EXPECT_EQ(simulation.PerNode("app", "web"), (PerNode{{"w2", 1}}));
  simulation.Do("label node w2 disk-");
  EXPECT_EQ(simulation.PerNode("app", "web"), (PerNode{{"w2", 1}}))
      << "nothing moves by itself";
  simulation.Do("taint node w2 gone:NoExecute");
  EXPECT_THAT(simulation.PerNode("app", "web"), IsEmpty());
  EXPECT_THAT(simulation.Messages(), SizeIs(1));
}

TEST(ActionsTest, CopiesOfANodeComeWithTheirOwnHostname) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 5,
                                AwayFrom("web", "kubernetes.io/hostname")));
  EXPECT_THAT(simulation.Messages(), SizeIs(2));
  simulation.Do("add-node w1=2");
  EXPECT_THAT(simulation.Messages(), IsEmpty());
  EXPECT_EQ(simulation.PerNode("app", "web").at("w1-copy-2"), 1);
}

TEST(ActionsTest, ANodeThatGoesTakesItsPodsAlong) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 3));
  simulation.Do("remove-node w2");
  EXPECT_EQ(simulation.PerNode("app", "web").size(), 2u);
  EXPECT_EQ(simulation.simulated().pods().size(), 3u);
}

TEST(ActionsTest, AWorkloadGoesWithItsPods) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 3));
  simulation.Do("delete deployment/web");
  EXPECT_THAT(simulation.simulated().pods(), IsEmpty());
  EXPECT_THAT(simulation.simulated().workloads(), IsEmpty());
}

// What no cluster makes, but a file may have.
TEST(ActionsTest, WorkloadsThatOwnThemselvesOrEachOther) {
  Simulation simulation(kThreeNodes);
  const auto apply = [&simulation](const std::string& name,
                                   const std::string& owner) {
    simulation.Apply(absl::StrCat(
        "---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: ", name,
        ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: ",
        owner,
        ", controller: true}]}, spec: {replicas: 1, selector: "
        "{matchLabels: {app: ",
        name, "}}, template: {metadata: {labels: {app: ", name,
        "}}, spec: {containers: [{name: c, image: i}]}}}}"));
  };
  apply("self", "self");
  apply("a", "b");
  apply("b", "a");
  apply("c", "b");
  const auto top = [&simulation](const char* name) {
    return simulation.simulated().TopOf({"ReplicaSet", "default", name}).name;
  };
  EXPECT_EQ(top("self"), "self");
  EXPECT_EQ(top("a"), "a");
  EXPECT_EQ(top("b"), "a");
  EXPECT_EQ(top("c"), "a");
  EXPECT_THAT(simulation.simulated().pods(), SizeIs(4));
  simulation.Do("delete replicaset/b");
  EXPECT_THAT(simulation.simulated().pods(), SizeIs(1));
  simulation.Do("delete replicaset/self");
  EXPECT_THAT(simulation.simulated().pods(), IsEmpty());
}

TEST(ActionsTest, RescheduleMakesAWorkloadEvenAgain) {
  Simulation simulation(kThreeNodes);
  simulation.Do("cordon w3");
  simulation.Apply(WorkloadYaml("Deployment", "web", 6));
  simulation.Do("uncordon w3");
  simulation.Do("reschedule deployment/web");
  EXPECT_EQ(simulation.PerNode("app", "web"),
            (PerNode{{"w1", 2}, {"w2", 2}, {"w3", 2}}));
}

TEST(ActionsTest, PodsCanBeDeletedByLabelAndNode) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml("Deployment", "web", 3));
  const std::vector<std::string> before = simulation.Names("app", "web");
  simulation.Do("delete pods -l app=web on w2");
  const std::vector<std::string> after = simulation.Names("app", "web");
  EXPECT_THAT(after, SizeIs(3));
  int kept = 0;
  for (const std::string& name : before) {
    kept += static_cast<int>(std::count(after.begin(), after.end(), name));
  }
  EXPECT_EQ(kept, 2);
}

TEST(ActionsTest, PodsOfAHigherPriorityAreTriedFirst) {
  Simulation simulation(R"({"kind": "Node", "metadata": {"name": "w1"},
    "status": {"allocatable": {"pods": 1}}})");
  simulation.Apply(R"(
kind: Pod
metadata: {name: low}
spec: {}
---
kind: Pod
metadata: {name: high}
spec: {priority: 10}
)");
  EXPECT_EQ(simulation.simulated().FindPod({"default", "high"})->node, "w1");
  EXPECT_THAT(simulation.Messages(),
              ElementsAre("0/1 nodes are available: 1 Too many pods."));
}

TEST(ActionsTest, APendingPodFollowsTheOneItWaitsFor) {
  Simulation simulation(kThreeNodes);
  simulation.Apply(WorkloadYaml(
      "Deployment", "cache", 2,
      "affinity: {podAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
      "labelSelector: {matchLabels: {app: db}}}]}}"));
  EXPECT_THAT(simulation.Messages(), SizeIs(2));
  simulation.Apply(WorkloadYaml("Deployment", "db", 1));
  EXPECT_THAT(simulation.Messages(), IsEmpty());
  const std::string node = simulation.PerNode("app", "db").begin()->first;
  EXPECT_EQ(simulation.PerNode("app", "cache"), (PerNode{{node, 2}}));
}

TEST(ActionsTest, OneSeedGivesOneOutcome) {
  std::vector<std::string> names;
  for (int i = 0; i < 2; ++i) {
    SimulatorOptions options;
    options.seed = 7;
    Simulation simulation(kThreeNodes, options);
    simulation.Apply(WorkloadYaml("Deployment", "web", 7));
    std::string outcome;
    for (const auto& [key, pod] : simulation.simulated().pods()) {
      outcome += key.name + " on " + pod.node + "\n";
    }
    names.push_back(outcome);
  }
  EXPECT_EQ(names[0], names[1]);
}

TEST(ActionsTest, WhatIsNotKnownIsSaidClearly) {
  Simulation simulation(kThreeNodes);
  const auto message = [&simulation](const char* action) {
    return std::string(simulation.TryTo(action).message());
  };
  EXPECT_EQ(message("drain w9"), "drain w9: there is no node \"w9\"");
  EXPECT_EQ(message("scale deployment/web=2"),
            "scale deployment/web=2: there is no deployment/web in namespace "
            "default; the cluster file has no Deployment and no ReplicaSet of "
            "one by that name");
  simulation.Apply(WorkloadYaml("DaemonSet", "agent", 0));
  EXPECT_EQ(message("scale ds/agent=2"),
            "scale ds/agent=2: a DaemonSet has no replicas to scale");
  EXPECT_EQ(message("scale deployment/web=2 -n shop"),
            "scale deployment/web=2 -n shop: there is no deployment/web in "
            "namespace shop; the cluster file has no Deployment and no "
            "ReplicaSet of one by that name");
  EXPECT_EQ(message("scale dpeloyment/web=2"),
            "scale dpeloyment/web=2: \"dpeloyment\" is no kind of workload");
  EXPECT_EQ(message("delete ds/agent -n shop"),
            "delete ds/agent -n shop: there is no ds/agent in namespace shop; "
            "there is one in namespace default (-n default)");
}

}  // namespace
}  // namespace vicinal
