#include "core/simulate/deschedule_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/deschedule/policy.h"
#include "core/engine/default_profile.h"
#include "core/simulate/testing/simulation.h"

namespace vicinal {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using PerNode = std::map<std::string, int>;

constexpr char kSoftlyApart[] =
    "affinity: {podAntiAffinity: "
    "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, "
    "podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: "
    "{matchLabels: {app: web}}}}]}}";

// Looks for one thing, with any number of evictions of an owner.
std::string PolicyWith(std::string_view strategy, std::string_view more = "") {
  return absl::StrCat(
      "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n",
      std::string(more),
      "\nprofiles:\n- name: p\n  plugins: {balance: "
      "{enabled: [",
      std::string(strategy), "]}}\n");
}

constexpr char kNoLimit[] = "vicinal.maxNoOfPodsToEvictPerOwner: 0";

// Five pods that would rather be apart, all on w1.
void CrowdOnW1(Simulation& simulation, std::string_view pod_spec) {
  simulation.Do("cordon w2");
  simulation.Do("cordon w3");
  simulation.Apply(WorkloadYaml("Deployment", "web", 5, pod_spec));
  simulation.Do("uncordon w2");
  simulation.Do("uncordon w3");
}

std::vector<int> Sizes(const PerNode& nodes) {
  std::vector<int> sizes;
  for (const auto& [node, pods] : nodes) sizes.push_back(pods);
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

TEST(DescheduleTest, EvictsUntilTheSpreadIsBackAndNoMore) {
  Simulation simulation(kThreeNodes);
  CrowdOnW1(simulation, kSoftlyApart);
  const std::vector<std::string> before = simulation.Names("app", "web");
  const std::string policy = PolicyWith("vicinal.SoftAntiAffinity", kNoLimit);
  simulation.Deschedule(policy);
  EXPECT_THAT(Sizes(simulation.PerNode("app", "web")), ElementsAre(2, 2, 1));
  EXPECT_THAT(simulation.simulated().notes(),
              Contains("deschedule: 3 evictions; broken hard rules: 0 -> 0, "
                       "skew: 0 -> 0, soft score: -2000 -> -400"));
  const std::vector<std::string> after = simulation.Names("app", "web");
  EXPECT_EQ(std::count_if(before.begin(), before.end(),
                          [&after](const std::string& name) {
                            return std::count(after.begin(), after.end(),
                                              name) > 0;
                          }),
            2);
  simulation.Deschedule(policy);
  EXPECT_EQ(simulation.Names("app", "web"), after);
  EXPECT_EQ(simulation.simulated().notes().back(),
            "deschedule: nothing to evict");
}

TEST(DescheduleTest, OneReplicaOfAnOwnerGoesInAPass) {
  Simulation simulation(kThreeNodes);
  CrowdOnW1(simulation, kSoftlyApart);
  simulation.Deschedule(PolicyWith("vicinal.SoftAntiAffinity"));
  EXPECT_EQ(simulation.PerNode("app", "web").at("w1"), 4);
  EXPECT_THAT(simulation.simulated().notes(),
              Contains(HasSubstr("the limit of 1 eviction per owner is "
                                 "reached")));
}

TEST(DescheduleTest, PassesAreMadeUntilNothingIsEvicted) {
  SimulatorOptions options;
  options.until_stable = true;
  Simulation simulation(kThreeNodes, options);
  CrowdOnW1(simulation, kSoftlyApart);
  simulation.Deschedule(PolicyWith("vicinal.SoftAntiAffinity"));
  EXPECT_THAT(Sizes(simulation.PerNode("app", "web")), ElementsAre(2, 2, 1));
}

TEST(DescheduleTest, WithoutAPolicyHardRulesCount) {
  Simulation simulation(kThreeNodes);
  CrowdOnW1(simulation, kSoftlyApart);
  simulation.Do("deschedule");
  EXPECT_EQ(simulation.PerNode("app", "web"), (PerNode{{"w1", 5}}));
  EXPECT_THAT(simulation.simulated().notes(),
              ElementsAre("deschedule: nothing to evict"));
  simulation.Do("taint node w1 closed:NoSchedule");
  simulation.Do("deschedule");
  EXPECT_EQ(simulation.PerNode("app", "web").at("w1"), 4);
}

TEST(DescheduleTest, PodsWithLocalStorageStay) {
  Simulation simulation(kThreeNodes);
  CrowdOnW1(
      simulation,
      absl::StrCat(kSoftlyApart, ", volumes: [{name: scratch, emptyDir: {}}]"));
  simulation.Deschedule(PolicyWith("vicinal.SoftAntiAffinity", kNoLimit));
  EXPECT_EQ(simulation.PerNode("app", "web"), (PerNode{{"w1", 5}}));
  EXPECT_THAT(
      simulation.simulated().notes(),
      Contains(HasSubstr("on w1: it has local storage (emptyDir or hostPath)"))
          .Times(5));
}

TEST(DescheduleTest, WhatADumpSaysOfItsPodsCounts) {
  constexpr char kPods[] = R"(
apiVersion: v1
kind: List
items:
- {kind: Node, metadata: {name: w1}, spec: {taints: [{key: closed, effect: NoSchedule}]}, status: {allocatable: {pods: 10}}}
- {kind: Node, metadata: {name: w2}, status: {allocatable: {pods: 10}}}
- {kind: Pod, metadata: {name: a-1, labels: {app: a}, ownerReferences: [{kind: ReplicaSet, name: a, controller: true}]}, spec: {nodeName: w1}}
- {kind: Pod, metadata: {name: b-1, labels: {app: b}, ownerReferences: [{kind: ReplicaSet, name: b, controller: true}], annotations: {kubernetes.io/config.mirror: x}}, spec: {nodeName: w1}}
)";
  Simulation simulation(kPods);
  simulation.Do("deschedule");
  EXPECT_EQ(simulation.PerNode("app", "a"), (PerNode{{"w2", 1}}));
  EXPECT_EQ(simulation.PerNode("app", "b"), (PerNode{{"w1", 1}}));
  EXPECT_THAT(simulation.simulated().notes(),
              Contains("deschedule: kept default/b-1 on w1: it is a mirror "
                       "pod"));
}

// A pod that waits for the place of an evicted one is no part of the plan.
TEST(DescheduleTest, PlansAnewWhenAWaitingPodTakesThePlace) {
  Simulation simulation(kThreeNodes);
  simulation.Do("cordon w2");
  simulation.Do("cordon w3");
  simulation.Apply(WorkloadYaml("Deployment", "a", 1,
                                "containers: [{name: c, resources: {requests: "
                                "{cpu: 2}}}]"));
  simulation.Apply(WorkloadYaml("Deployment", "b", 1,
                                "containers: [{name: c, resources: {requests: "
                                "{cpu: 2}}}]"));
  simulation.Apply(WorkloadYaml(
      "Deployment", "waiting", 1,
      "nodeSelector: {zone: z1}, tolerations: [{operator: Exists}], "
      "containers: [{name: c, resources: {requests: {cpu: 1}}}]"));
  EXPECT_THAT(simulation.Messages(), SizeIs(1));
  simulation.Do("taint node w1 closed:NoSchedule");
  simulation.Do("uncordon w2");
  simulation.Do("uncordon w3");
  simulation.Do("deschedule");
  EXPECT_THAT(simulation.Messages(), IsEmpty());
  EXPECT_EQ(simulation.PerNode("app", "waiting"), (PerNode{{"w1", 1}}));
  EXPECT_FALSE(simulation.PerNode("app", "a").contains("w1"));
  EXPECT_FALSE(simulation.PerNode("app", "b").contains("w1"));
}

TEST(DescheduleTest, EndsAlthoughAControllerPutsItsPodsBack) {
  Simulation simulation(R"({"kind": "List", "items": [
    {"kind": "Node", "metadata": {"name": "w1"}, "spec": {"taints":
      [{"key": "closed", "effect": "NoSchedule"}]},
     "status": {"allocatable": {"pods": 10}}},
    {"kind": "Node", "metadata": {"name": "w2"},
     "status": {"allocatable": {"pods": 10}}},
    {"kind": "Pod", "metadata": {"name": "a-1", "ownerReferences":
      [{"kind": "ReplicaSet", "name": "a", "controller": true}]},
     "spec": {"nodeName": "w1"}}]})");
  SimulatedCluster& simulated = simulation.simulated();
  const auto put_back = [&simulated](const std::string&) {
    const ObjectKey key = simulated.pods().begin()->first;
    Pod pod = simulated.PodAt(key);
    const auto owner = simulated.FindPod(key)->owner;
    simulated.DeletePod(key);
    pod.spec.node_name = "w1";
    simulated.CreatePod(std::move(pod), owner, PodFacts());
    return std::vector<std::string>{"w1"};
  };
  Policy policy = DefaultPolicy();
  policy.max_per_owner.reset();
  EXPECT_EQ(DeschedulePass(DefaultProfile({}), policy, 0, put_back, simulated),
            100u);
  EXPECT_THAT(simulated.notes(),
              Contains("deschedule: not finished after 100 plans, none of "
                       "which came out as planned"));
}

}  // namespace
}  // namespace vicinal
