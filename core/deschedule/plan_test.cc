#include "core/deschedule/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/default_profile.h"
#include "core/model/quantity.h"
#include "core/plugins/plugin_config.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kOwner[] =
    "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, controller: "
    "true, name: ";

// `metadata` without the braces; `spec` a mapping.
std::string PodText(const std::string& name, const std::string& labels,
                    const std::string& spec, const std::string& owner = "rs",
                    const std::string& namespace_name = "default") {
  return absl::StrCat("{metadata: {name: ", name,
                      ", namespace: ", namespace_name, ", uid: uid-", name,
                      ", labels: {", labels, "}, ", kOwner, owner,
                      "}]}, spec: ", spec, ", status: {phase: Running}}");
}

std::string AntiAffinity(const std::string& labels, const std::string& key,
                         const std::string& more = "") {
  return absl::StrCat(
      "{affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: ",
      key, ", labelSelector: {matchLabels: {", labels, "}}", more, "}]}}}");
}

std::string SoftAntiAffinity(const std::string& labels,
                             const std::string& key) {
  return absl::StrCat(
      "{affinity: {podAntiAffinity: "
      "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, "
      "podAffinityTerm: {topologyKey: ",
      key, ", labelSelector: {matchLabels: {", labels, "}}}}]}}}");
}

std::string Affinity(const std::string& labels, const std::string& key) {
  return absl::StrCat(
      "{affinity: {podAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: ",
      key, ", labelSelector: {matchLabels: {", labels, "}}}]}}}");
}

std::string Constraint(const std::string& labels, const std::string& key,
                       const std::string& action, int max_skew = 1) {
  return absl::StrCat("{maxSkew: ", max_skew, ", topologyKey: ", key,
                      ", whenUnsatisfiable: ", action,
                      ", labelSelector: {matchLabels: {", labels, "}}}");
}

Node RoomyNode(const std::string& name, const std::string& zone) {
  Node node = MakeNode(name, {{"host", name}, {"zone", zone}});
  node.allocatable = {{"cpu", Quantity::FromValue(4)},
                      {"memory", Quantity::FromValue(std::int64_t{8} << 30)},
                      {"pods", Quantity::FromValue(110)}};
  return node;
}

Strategy Of(StrategyKind kind) {
  Strategy strategy;
  strategy.kind = kind;
  return strategy;
}

// Nodes n1 … in two zones by turns; the pods are told in the tests.
class PlanTest : public ::testing::Test {
 protected:
  PlanTest() { options_.policy = DefaultPolicy(); }

  void AddNodes(int count, int zones = 2) {
    for (int i = 1; i <= count; ++i) {
      const std::string name = absl::StrCat("n", i);
      cluster_.Upsert(RoomyNode(name, absl::StrCat("z", (i - 1) % zones)));
    }
  }
  void Add(std::string node, const std::string& text) {
    AddPod(cluster_, std::move(node), text);
  }
  void Taint(const std::string& name, const std::string& effect) {
    Node node = *cluster_.FindNode(name)->node;
    node.taints = {{"maintenance", "", effect}};
    cluster_.Upsert(std::move(node));
  }
  void NoOwnerLimit() { options_.policy.max_per_owner.reset(); }
  EvictorArgs& evictor() { return options_.policy.profiles[0].evictor; }
  std::vector<Strategy>& strategies() {
    return options_.policy.profiles[0].strategies;
  }

  Plan Make() { return MakePlan(profile_, options_, facts_, cluster_); }

  // `pod>destination` of the evictions, in order.
  static std::vector<std::string> Moves(const Plan& plan) {
    std::vector<std::string> moves;
    for (const PlannedEviction& eviction : plan.evictions) {
      moves.push_back(
          absl::StrCat(eviction.pod.name, ">", eviction.destination));
    }
    return moves;
  }
  static std::map<std::string, std::string> Kept(const Plan& plan) {
    std::map<std::string, std::string> kept;
    for (const KeptPod& pod : plan.kept) kept[pod.pod.name] = pod.reason;
    return kept;
  }

  // Puts the replacements where they are expected, under new names.
  void CarryOut(const Plan& plan) {
    for (const PlannedEviction& eviction : plan.evictions) {
      Pod pod = cluster_.FindPod(eviction.pod)->ToPod();
      ASSERT_EQ(pod.spec.node_name, eviction.node);
      cluster_.Remove<Pod>(eviction.pod);
      pod.meta.name = absl::StrCat(pod.meta.name, "x");
      pod.meta.uid = absl::StrCat(pod.meta.uid, "x");
      pod.spec.node_name = eviction.destination;
      cluster_.Upsert(std::move(pod));
    }
  }

  const Profile profile_ = DefaultProfile(PluginConfig());
  PlanOptions options_;
  PodFactsMap facts_;
  ClusterState cluster_;
};

TEST_F(PlanTest, NothingIsPlannedWhereNoRuleIsBroken) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", AntiAffinity("app: web", "host")));
  Add("n2", PodText("b", "app: web", AntiAffinity("app: web", "host")));
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, IsEmpty());
  EXPECT_THAT(plan.kept, IsEmpty());
  EXPECT_EQ(plan.before, ClusterCost());
  EXPECT_EQ(plan.after, ClusterCost());
}

TEST_F(PlanTest, OneOfTwoPodsThatMustNotMeetIsEvicted) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", AntiAffinity("app: web", "host")));
  Add("n1", PodText("b", "app: web", AntiAffinity("app: web", "host")));
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>n2"));
  const PlannedEviction& eviction = plan.evictions[0];
  EXPECT_EQ(eviction.strategy, StrategyKind::kInterPodAntiAffinity);
  EXPECT_EQ(eviction.node, "n1");
  EXPECT_EQ(eviction.uid, "uid-a");
  EXPECT_EQ(eviction.reason,
            "required anti-affinity is broken 2 times in host=n1");
  EXPECT_EQ(plan.before.hard_violations, 2);
  EXPECT_EQ(plan.after.hard_violations, 0);
  EXPECT_THAT(plan.kept, IsEmpty());
}

TEST_F(PlanTest, TheClusterIsLeftAsItWas) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", AntiAffinity("app: web", "host")));
  Add("n1", PodText("b", "app: web", AntiAffinity("app: web", "host")));
  ASSERT_THAT(Make().evictions, SizeIs(1));
  EXPECT_THAT(Moves(Make()), ElementsAre("a>n2"));
}

TEST_F(PlanTest, OfTwoPodsTheOneOfLowerPriorityGoes) {
  AddNodes(2);
  std::string high = AntiAffinity("app: web", "host");
  high.insert(1, "priority: 10, ");
  Add("n1", PodText("a", "app: web", high));
  Add("n1", PodText("b", "app: web", AntiAffinity("app: web", "host")));
  EXPECT_THAT(Moves(Make()), ElementsAre("b>n2"));
}

TEST_F(PlanTest, OfEqualPriorityTheOneOfLowerQosGoes) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", AntiAffinity("app: web", "host")));
  Add("n1", PodText("b", "app: web", AntiAffinity("app: web", "host")));
  facts_[{"default", "a"}].qos = QosClass::kGuaranteed;
  facts_[{"default", "b"}].qos = QosClass::kBurstable;
  EXPECT_THAT(Moves(Make()), ElementsAre("b>n2"));
}

TEST_F(PlanTest, APodWithoutTermsGoesIfTheOneThatHasThemMayNot) {
  AddNodes(2);
  Add("n1", PodText("a", "app: db", AntiAffinity("app: web", "host")));
  Add("n1", PodText("b", "app: web", "{}", "other"));
  facts_[{"default", "a"}].local_storage = true;
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("b>n2"));
  EXPECT_THAT(plan.kept, IsEmpty());
}

TEST_F(PlanTest, NamespaceSelectorsCount) {
  AddNodes(2);
  AddObjects(cluster_,
             "apiVersion: v1\nkind: Namespace\n"
             "metadata: {name: other, labels: {team: t}}");
  Add("n1", PodText("a", "app: db",
                    AntiAffinity("app: web", "host",
                                 ", namespaceSelector: {matchLabels: {team: "
                                 "t}}")));
  Add("n1", PodText("b", "app: web", "{}", "rs2", "other"));
  EXPECT_THAT(Moves(Make()), ElementsAre("a>n2"));
}

TEST_F(PlanTest, ATerminatingPodCountsButIsNotEvicted) {
  AddNodes(2);
  Pod leaving = ParsePod(PodText("a", "app: web", "{}"));
  leaving.meta.deletion_timestamp = "2026-01-01T00:00:00Z";
  leaving.spec.node_name = "n1";
  cluster_.Upsert(std::move(leaving));
  Add("n1", PodText("b", "app: web", AntiAffinity("app: web", "host")));
  EXPECT_THAT(Moves(Make()), ElementsAre("b>n2"));
}

TEST_F(PlanTest, WhatFitsNowhereElseStays) {
  AddNodes(1);
  Add("n1", PodText("a", "app: web", AntiAffinity("app: web", "host")));
  Add("n1", PodText("b", "app: web", AntiAffinity("app: web", "host")));
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, IsEmpty());
  ASSERT_THAT(plan.kept, SizeIs(2));
  EXPECT_THAT(plan.kept[0].reason,
              HasSubstr("it would fit nowhere: 0/1 nodes"));
  EXPECT_EQ(plan.after, plan.before);
}

TEST_F(PlanTest, OneReplicaOfAnOwnerIsTakenInAPass) {
  AddNodes(4);
  for (const char* name : {"a", "b", "c", "d"}) {
    Add("n1", PodText(name, "app: web", AntiAffinity("app: web", "host")));
  }
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, SizeIs(1));
  EXPECT_EQ(Kept(plan)["d"], "the limit of 1 eviction per owner is reached");
  options_.policy.max_per_owner = 2;
  EXPECT_THAT(Make().evictions, SizeIs(2));
  NoOwnerLimit();
  EXPECT_THAT(Moves(Make()), UnorderedElementsAre("a>n2", "b>n3", "c>n4"));
}

TEST_F(PlanTest, LimitsPerNodeNamespaceAndPassHold) {
  AddNodes(4);
  NoOwnerLimit();
  for (const char* name : {"a", "b", "c", "d"}) {
    Add("n1", PodText(name, "app: web", AntiAffinity("app: web", "host")));
  }
  options_.policy.max_per_node = 2;
  EXPECT_THAT(Make().evictions, SizeIs(2));
  options_.policy.max_per_node.reset();
  options_.policy.max_per_namespace = 1;
  EXPECT_EQ(Kept(Make())["d"],
            "the limit of 1 eviction per namespace is reached");
  options_.policy.max_per_namespace.reset();
  options_.policy.max_total = 0;
  EXPECT_EQ(Kept(Make())["a"], "the limit of 0 evictions per pass is reached");
}

TEST_F(PlanTest, NodeAffinityThatNoLongerHolds) {
  AddNodes(2);
  const std::string spec = "{nodeSelector: {zone: z1}}";
  Add("n1", PodText("a", "app: web", spec));
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>n2"));
  EXPECT_EQ(plan.evictions[0].strategy, StrategyKind::kNodeAffinity);
}

TEST_F(PlanTest, PreferredNodeAffinityOnRequest) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web",
                    "{affinity: {nodeAffinity: "
                    "{preferredDuringSchedulingIgnoredDuringExecution: "
                    "[{weight: 7, preference: {matchExpressions: [{key: zone, "
                    "operator: In, values: [z1]}]}}]}}}"));
  EXPECT_THAT(Make().evictions, IsEmpty());
  for (Strategy& strategy : strategies()) {
    strategy.preferred_node_affinity = true;
  }
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>n2"));
  EXPECT_EQ(plan.before.soft - plan.after.soft, 7);
}

TEST_F(PlanTest, TaintsThatAreNotTolerated) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", "{}"));
  Add("n1",
      PodText("b", "app: web",
              "{tolerations: [{key: maintenance, operator: Exists}]}", "rs2"));
  Taint("n1", kNoSchedule);
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>n2"));
  EXPECT_THAT(plan.evictions[0].reason, HasSubstr("maintenance:NoSchedule"));
  strategies()[0].excluded_taints = {"maintenance"};
  EXPECT_THAT(Make().evictions, IsEmpty());
}

TEST_F(PlanTest, PreferNoScheduleOnRequest) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", "{}"));
  Taint("n1", kPreferNoSchedule);
  EXPECT_THAT(Make().evictions, IsEmpty());
  strategies()[0].include_prefer_no_schedule = true;
  EXPECT_THAT(Moves(Make()), ElementsAre("a>n2"));
}

TEST_F(PlanTest, RequiredPodAffinityThatNoLongerHolds) {
  AddNodes(3);
  Add("n1", PodText("a", "app: redis", Affinity("app: web", "host")));
  Add("n3", PodText("w", "app: web", "{}", "rs2"));
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>n3"));
  EXPECT_EQ(plan.evictions[0].strategy, StrategyKind::kRequiredPodAffinity);
}

TEST_F(PlanTest, APodThatRequiresItselfAndIsAloneBreaksNothing) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", Affinity("app: web", "host")));
  EXPECT_EQ(Make().before, ClusterCost());
  Add("n2", PodText("b", "app: web", Affinity("app: web", "host")));
  const Plan plan = Make();
  EXPECT_EQ(plan.before.hard_violations, 2);
  EXPECT_THAT(Moves(plan), ElementsAre("a>n2"));
  EXPECT_EQ(plan.after.hard_violations, 0);
}

TEST_F(PlanTest, APodIsNotTakenFromThoseThatNeedIt) {
  AddNodes(2);
  Add("n1", PodText("w", "app: web", "{nodeSelector: {zone: z1}}", "rs2"));
  Add("n1", PodText("a", "app: redis", Affinity("app: web", "host")));
  facts_[{"default", "a"}].local_storage = true;
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, IsEmpty());
  EXPECT_THAT(Kept(plan)["w"], HasSubstr("nothing gets better"));
}

TEST_F(PlanTest, PodsThatNeedEachOtherMoveTogether) {
  AddNodes(2);
  Add("n1", PodText("w", "app: web", "{}", "rs2"));
  Add("n1", PodText("a", "app: redis", Affinity("app: web", "host")));
  Taint("n1", kNoSchedule);
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("w>n2", "a>n2"));
  EXPECT_EQ(plan.before.hard_violations, 2);
  EXPECT_EQ(plan.after.hard_violations, 0);
  CarryOut(plan);
  EXPECT_THAT(Make().evictions, IsEmpty());
}

TEST_F(PlanTest, ASpreadThatIsTooUneven) {
  AddNodes(4);
  NoOwnerLimit();
  const std::string spec =
      absl::StrCat("{topologySpreadConstraints: [",
                   Constraint("app: web", "zone", kDoNotSchedule), "]}");
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    Add("n1", PodText(name, "app: web", spec));
  }
  const Plan plan = Make();
  EXPECT_EQ(plan.before.skew, 4);
  EXPECT_EQ(plan.after.skew, 0);
  EXPECT_THAT(plan.evictions, SizeIs(2));
  EXPECT_THAT(plan.kept, IsEmpty());
}

TEST_F(PlanTest, ASoftSpreadOnRequest) {
  AddNodes(2);
  NoOwnerLimit();
  const std::string spec =
      absl::StrCat("{topologySpreadConstraints: [",
                   Constraint("app: web", "zone", kScheduleAnyway), "]}");
  for (const char* name : {"a", "b", "c"}) {
    Add("n1", PodText(name, "app: web", spec));
  }
  EXPECT_THAT(Make().evictions, IsEmpty());
  for (Strategy& strategy : strategies()) strategy.schedule_anyway = true;
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, SizeIs(1));
  EXPECT_EQ(plan.after.skew, 0);
}

TEST_F(PlanTest, DuplicatesOfAnOwnerOnRequest) {
  AddNodes(3);
  NoOwnerLimit();
  for (const char* name : {"a", "b", "c"}) {
    Add("n1", PodText(name, "app: web", "{containers: [{image: i}]}"));
  }
  EXPECT_THAT(Make().evictions, IsEmpty());
  strategies().push_back(Of(StrategyKind::kDuplicates));
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), UnorderedElementsAre("a>n2", "b>n3"));
  EXPECT_EQ(plan.before.skew, 2);
  EXPECT_EQ(plan.after.skew, 0);
}

// Each profile looks for the duplicates that it does not exclude.
TEST_F(PlanTest, ProfilesThatExcludeDuplicatesOfDifferentOwners) {
  AddNodes(3);
  NoOwnerLimit();
  for (const char* name : {"a", "b", "c"}) {
    Add("n1", PodText(name, "app: web", "{containers: [{image: i}]}"));
  }
  Strategy but_replica_sets = Of(StrategyKind::kDuplicates);
  but_replica_sets.exclude_owner_kinds = {"ReplicaSet"};
  Strategy but_jobs = Of(StrategyKind::kDuplicates);
  but_jobs.exclude_owner_kinds = {"Job"};
  std::vector<PolicyProfile>& profiles = options_.policy.profiles;
  PolicyProfile profile = profiles[0];
  profile.strategies = {but_replica_sets};
  profiles = {profile};
  EXPECT_THAT(Make().evictions, IsEmpty());
  profile.strategies = {but_jobs};
  profiles.push_back(profile);
  EXPECT_THAT(Moves(Make()), UnorderedElementsAre("a>n2", "b>n3"));
  std::swap(profiles[0], profiles[1]);
  EXPECT_THAT(Moves(Make()), UnorderedElementsAre("a>n2", "b>n3"));
}

TEST_F(PlanTest, SoftAntiAffinitySpreadsAsFarAsThereIsSomethingToGain) {
  AddNodes(3);
  NoOwnerLimit();
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    Add("n1",
        PodText(name, "app: demo", SoftAntiAffinity("app: demo", "host")));
  }
  EXPECT_THAT(Make().evictions, IsEmpty());
  strategies() = {Of(StrategyKind::kSoftAntiAffinity)};
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, SizeIs(3));
  EXPECT_THAT(plan.kept, IsEmpty());
  EXPECT_EQ(plan.before.soft, 2000);
  EXPECT_EQ(plan.after.soft, 400);
  CarryOut(plan);
  const Plan next = Make();
  EXPECT_THAT(next.evictions, IsEmpty());
  EXPECT_THAT(next.kept, IsEmpty());
  EXPECT_EQ(next.before, plan.after);
}

TEST_F(PlanTest, ASoftWishIsNoReasonToBreakAHardRule) {
  AddNodes(2);
  Add("n2", PodText("x", "app: x", AntiAffinity("app: demo", "host"), "rs2"));
  Add("n1", PodText("a", "app: demo", SoftAntiAffinity("app: demo", "host")));
  Add("n1", PodText("b", "app: demo", SoftAntiAffinity("app: demo", "host")));
  strategies() = {Of(StrategyKind::kSoftAntiAffinity)};
  EXPECT_THAT(Make().evictions, IsEmpty());
}

// Pods by zone and pods by host, each as evenly as can be, cannot both be had:
// z0 has one host, z1 two. The descheduler, which balances each constraint on
// its own, would evict for ever.
TEST_F(PlanTest, TwoConstraintsAtOddsConverge) {
  cluster_.Upsert(RoomyNode("n1", "z0"));
  cluster_.Upsert(RoomyNode("n2", "z1"));
  cluster_.Upsert(RoomyNode("n3", "z1"));
  const std::string spec =
      absl::StrCat("{topologySpreadConstraints: [",
                   Constraint("app: web", "zone", kDoNotSchedule), ", ",
                   Constraint("app: web", "host", kDoNotSchedule), "]}");
  int pod = 0;
  for (const char* node : {"n1", "n1", "n1", "n1", "n2", "n3"}) {
    Add(node, PodText(absl::StrCat("p", pod++), "app: web", spec));
  }
  int evictions = 0;
  for (int pass = 0;; ++pass) {
    ASSERT_LT(pass, 20);
    const Plan plan = Make();
    if (plan.evictions.empty()) break;
    EXPECT_LT(plan.after, plan.before);
    evictions += static_cast<int>(plan.evictions.size());
    CarryOut(plan);
  }
  EXPECT_EQ(evictions, 1);
}

TEST_F(PlanTest, ProtectedPodsStay) {
  AddNodes(2);
  Taint("n1", kNoSchedule);
  Add("n1", PodText("critical", "", "{priority: 2000000000}"));
  Add("n1", "{metadata: {name: ownerless}}");
  Add("n1",
      "{metadata: {name: daemon, ownerReferences: [{kind: DaemonSet, name: "
      "ds}]}}");
  for (const char* name :
       {"mirror", "static", "local", "pvc", "labelled", "young"}) {
    Add("n1", PodText(name, "", "{}", name));
  }
  facts_[{"default", "mirror"}] = {.mirror = true, .evict_annotation = true};
  facts_[{"default", "static"}].is_static = true;
  facts_[{"default", "local"}].local_storage = true;
  facts_[{"default", "pvc"}].pvc = true;
  EXPECT_THAT(Moves(Make()),
              UnorderedElementsAre("pvc>n2", "labelled>n2", "young>n2"));
  evictor().protect_pvc = true;
  evictor().min_pod_age = std::chrono::seconds(60);
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, IsEmpty());
  const std::map<std::string, std::string> kept = Kept(plan);
  EXPECT_EQ(kept.at("critical"), "it is system-critical (priority 2000000000)");
  EXPECT_EQ(kept.at("ownerless"), "it has no owner that would replace it");
  EXPECT_EQ(kept.at("daemon"), "it belongs to a DaemonSet");
  EXPECT_EQ(kept.at("mirror"), "it is a mirror pod");
  EXPECT_EQ(kept.at("static"), "it is a static pod");
  EXPECT_EQ(kept.at("local"), "it has local storage (emptyDir or hostPath)");
  EXPECT_EQ(kept.at("pvc"), "it has a PersistentVolumeClaim");
  EXPECT_EQ(kept.at("young"), "it is younger than minPodAge");
}

TEST_F(PlanTest, FiltersOfPolicyAndStrategyHold) {
  AddNodes(2);
  Taint("n1", kNoSchedule);
  Add("n1", PodText("a", "app: web", "{priority: 5}", "a"));
  Add("n1", PodText("b", "app: db", "{}", "b", "other"));
  evictor().priority_threshold = 5;
  EXPECT_THAT(Moves(Make()), ElementsAre("b>n2"));
  evictor().priority_threshold.reset();
  strategies()[0].exclude_namespaces = {"other"};
  EXPECT_THAT(Moves(Make()), ElementsAre("a>n2"));
  strategies()[0].exclude_namespaces.clear();
  strategies()[0].label_selector = Selector::FromSet({{"app", "db"}});
  EXPECT_THAT(Moves(Make()), ElementsAre("b>n2"));
  options_.policy.node_selector = Selector::FromSet({{"host", "n2"}});
  EXPECT_THAT(Make().evictions, IsEmpty());
  options_.policy.node_selector.reset();
  evictor().min_replicas = 2;
  EXPECT_EQ(Kept(Make())["b"], "its owner has 1 pods, minReplicas is 2");
}

TEST_F(PlanTest, ExcludedPodsAndOwnersStayAndWhatWasDoneCounts) {
  AddNodes(2);
  Taint("n1", kNoSchedule);
  Add("n1", PodText("a", "", "{}", "a"));
  Add("n1", PodText("b", "", "{}", "b"));
  Add("n1", PodText("c", "", "{}", "c"));
  options_.excluded_pods[{"default", "a"}] = "refused";
  options_.excluded_owners["default/ReplicaSet/b"] = "unsettled";
  Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("c>n2"));
  EXPECT_EQ(Kept(plan)["a"], "refused");
  EXPECT_EQ(Kept(plan)["b"], "unsettled");
  options_.done = plan.evictions;
  EXPECT_EQ(Kept(Make())["c"], "the limit of 1 eviction per owner is reached");
}

// Clusters of few nodes and many rules, drawn at random.
class RandomCluster {
 public:
  explicit RandomCluster(std::uint32_t seed) : random_(seed) {}

  void Fill(ClusterState& cluster) {
    const int nodes = 3 + Draw(5);
    for (int i = 0; i < nodes; ++i) {
      const std::string name = absl::StrCat("n", i);
      Node node = RoomyNode(name, absl::StrCat("z", Draw(3)));
      if (Draw(6) == 0) node.taints = {{"t", "", kNoSchedule}};
      if (Draw(8) == 0) node.taints.push_back({"p", "", kPreferNoSchedule});
      cluster.Upsert(std::move(node));
    }
    const int owners = 2 + Draw(5);
    for (int owner = 0; owner < owners; ++owner) {
      const std::string spec = Spec();
      const std::string labels = absl::StrCat("app: a", Draw(3));
      const int pods = 1 + Draw(5);
      for (int i = 0; i < pods; ++i) {
        AddPod(cluster, absl::StrCat("n", Draw(nodes)),
               PodText(absl::StrCat("p", owner, "-", i), labels, spec,
                       absl::StrCat("rs", owner)));
      }
    }
  }

 private:
  int Draw(int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(random_);
  }
  std::string App() { return absl::StrCat("app: a", Draw(3)); }
  std::string Key() { return Draw(2) == 0 ? "host" : "zone"; }

  std::string Spec() {
    const std::string priority = absl::StrCat("priority: ", Draw(3));
    std::string spec;
    switch (Draw(8)) {
      case 0:
      case 1:
        spec = AntiAffinity(App(), Key());
        break;
      case 2:
        spec = SoftAntiAffinity(App(), Key());
        break;
      case 3:
        spec = Affinity(App(), Key());
        break;
      case 4:
      case 5:
        spec = absl::StrCat(
            "{topologySpreadConstraints: [",
            Constraint(App(), "zone", kDoNotSchedule, 1 + Draw(2)), ", ",
            Constraint(App(), "host",
                       Draw(2) ? kDoNotSchedule : kScheduleAnyway),
            "]}");
        break;
      case 6:
        spec = absl::StrCat("{nodeSelector: {zone: z", Draw(3), "}}");
        break;
      default:
        spec = "{tolerations: [{key: t, operator: Exists}]}";
    }
    spec.insert(1, priority + ", ");
    return spec;
  }

  std::mt19937 random_;
};

class PlanPropertyTest : public PlanTest,
                         public ::testing::WithParamInterface<int> {
 protected:
  PlanPropertyTest() {
    strategies().push_back(Of(StrategyKind::kDuplicates));
    strategies().push_back(Of(StrategyKind::kSoftAntiAffinity));
    for (Strategy& strategy : strategies()) {
      strategy.schedule_anyway = true;
      strategy.preferred_node_affinity = true;
      strategy.include_prefer_no_schedule = true;
    }
  }
};

TEST_P(PlanPropertyTest, ThePlanDoesWhatItSaysAndTheNextOnePlansNothing) {
  NoOwnerLimit();
  for (int i = 0; i < 40; ++i) {
    const int seed = GetParam() * 1000 + i;
    SCOPED_TRACE(seed);
    for (const ObjectKey& key : cluster_.Keys<Pod>()) cluster_.Remove<Pod>(key);
    for (const ObjectKey& key : cluster_.Keys<Node>()) {
      cluster_.Remove<Node>(key);
    }
    RandomCluster(static_cast<std::uint32_t>(seed)).Fill(cluster_);
    const Plan plan = Make();
    if (!plan.evictions.empty()) {
      EXPECT_LT(plan.after, plan.before);
    }
    for (const PlannedEviction& eviction : plan.evictions) {
      EXPECT_NE(eviction.node, eviction.destination);
    }
    CarryOut(plan);
    const Plan next = Make();
    // A scan of the new cluster counts what the plan has reckoned.
    EXPECT_EQ(next.before, plan.after);
    EXPECT_THAT(Moves(next), IsEmpty());
    if (HasFailure()) return;
  }
}

TEST_P(PlanPropertyTest, PassesOfOnePodPerOwnerEnd) {
  for (int i = 0; i < 20; ++i) {
    const int seed = GetParam() * 1000 + 500 + i;
    SCOPED_TRACE(seed);
    for (const ObjectKey& key : cluster_.Keys<Pod>()) cluster_.Remove<Pod>(key);
    for (const ObjectKey& key : cluster_.Keys<Node>()) {
      cluster_.Remove<Node>(key);
    }
    RandomCluster(static_cast<std::uint32_t>(seed)).Fill(cluster_);
    std::optional<ClusterCost> last;
    for (int pass = 0;; ++pass) {
      ASSERT_LT(pass, 60);
      const Plan plan = Make();
      if (last) {
        EXPECT_EQ(plan.before, *last);
      }
      if (plan.evictions.empty()) break;
      EXPECT_LT(plan.after, plan.before);
      std::map<std::string, int> owners;
      for (const PlannedEviction& eviction : plan.evictions) {
        EXPECT_LE(++owners[eviction.pod.name.substr(0, 2)], 1);
      }
      last = plan.after;
      CarryOut(plan);
    }
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlanPropertyTest, ::testing::Range(0, 5));

class StatusPlanTest : public PlanTest {
 protected:
  StatusPlanTest() {
    Strategy strategy = Of(StrategyKind::kTooManyRestarts);
    strategy.restart_threshold = 10;
    strategies() = {strategy, Of(StrategyKind::kFailedPods)};
    options_.now = 1'000'000;
    NoOwnerLimit();
  }

  void Restarted(const std::string& pod, std::int64_t restarts) {
    PodStatusFacts status;
    status.phase = "Running";
    status.containers.emplace_back().restarts = restarts;
    facts_[{"default", pod}].status =
        std::make_shared<const PodStatusFacts>(std::move(status));
  }

  // A pod that failed long ago.
  void AddFailed(const std::string& name, const std::string& node,
                 const std::string& owner = "rs") {
    Pod pod;
    pod.meta.name = name;
    pod.meta.namespace_name = "default";
    pod.meta.uid = "uid-" + name;
    if (!owner.empty()) {
      pod.meta.owner_references = {{"apps/v1", "ReplicaSet", owner, true}};
    }
    pod.spec.node_name = node;
    pod.status.phase = "Failed";
    PodStatusFacts status;
    status.phase = "Failed";
    status.creation_time = 0;
    facts_[{"default", name}].status =
        std::make_shared<const PodStatusFacts>(std::move(status));
    options_.finished.push_back(std::move(pod));
  }
};

TEST_F(StatusPlanTest, PodsThatRestartTooOftenAreReplacedWhereverTheyComeTo) {
  AddNodes(1);
  Add("n1", PodText("a", "app: web", "{}"));
  Add("n1", PodText("b", "app: web", "{}"));
  Add("n1", PodText("c", "app: web", "{}"));
  Restarted("a", 10);
  Restarted("b", 9);
  Restarted("c", 11);
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("c>n1", "a>n1"));
  EXPECT_EQ(plan.before.to_replace, 2);
  EXPECT_EQ(plan.after.to_replace, 0);
  EXPECT_EQ(plan.evictions[1].reason,
            "its containers have restarted 10 times, podRestartThreshold is "
            "10");
  EXPECT_THAT(plan.kept, IsEmpty());
}

TEST_F(StatusPlanTest, APodThatWouldWaitIsNotReplaced) {
  AddNodes(1);
  Add("n1", PodText("a", "app: web", "{nodeSelector: {host: n2}}"));
  Restarted("a", 10);
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, IsEmpty());
  EXPECT_THAT(Kept(plan)["a"], HasSubstr("it would fit nowhere"));
  EXPECT_EQ(plan.after.to_replace, 1);
}

TEST_F(StatusPlanTest, WithNodeFitAPodMustFitAnotherNode) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", "{nodeSelector: {host: n1}}"));
  Add("n1", PodText("b", "app: web", "{}"));
  Restarted("a", 10);
  Restarted("b", 10);
  evictor().node_fit = true;
  const Plan plan = Make();
  ASSERT_THAT(plan.evictions, SizeIs(1));
  EXPECT_EQ(plan.evictions[0].pod.name, "b");
  EXPECT_EQ(Kept(plan)["a"], "it fits no other node, and nodeFit wants one");
}

TEST_F(StatusPlanTest, APodThatHasToLeaveAnywayIsEvictedOnce) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", "{}"));
  Restarted("a", 10);
  Taint("n1", "NoSchedule");
  strategies().push_back(Of(StrategyKind::kNodeTaints));
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>n2"));
  EXPECT_EQ(plan.evictions[0].strategy, StrategyKind::kNodeTaints);
  EXPECT_EQ(plan.after, ClusterCost());
}

TEST_F(StatusPlanTest, NoRuleIsBrokenForAReplacement) {
  AddNodes(2);
  // `a` is what `b` needs near, and no pod may come to n1 any more.
  Node node = *cluster_.FindNode("n1")->node;
  node.unschedulable = true;
  cluster_.Upsert(std::move(node));
  Add("n1", PodText("a", "app: db", "{}"));
  Add("n1", PodText("b", "app: web", Affinity("app: db", "host")));
  Restarted("a", 10);
  facts_[{"default", "b"}].local_storage = true;
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, IsEmpty());
  EXPECT_THAT(Kept(plan)["a"], HasSubstr("nothing gets better"));
}

TEST_F(StatusPlanTest, LimitsHoldForReplacements) {
  AddNodes(1);
  Add("n1", PodText("a", "app: web", "{}"));
  Add("n1", PodText("b", "app: web", "{}"));
  Restarted("a", 10);
  Restarted("b", 20);
  options_.policy.max_per_owner = 1;
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("b>n1"));
  EXPECT_EQ(Kept(plan)["a"], "the limit of 1 eviction per owner is reached");
}

TEST_F(StatusPlanTest, FailedPodsGoWithoutAQuestion) {
  AddNodes(2);
  AddFailed("a", "n1");
  AddFailed("b", "n2");
  AddFailed("bare", "n2", "");
  AddFailed("lost", "n9");
  options_.policy.max_per_owner = 1;  // They are no replicas.
  Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>", "b>"));
  EXPECT_EQ(plan.evictions[0].uid, "uid-a");
  EXPECT_EQ(plan.evictions[0].reason, "it has failed");
  EXPECT_EQ(Kept(plan)["bare"], "it has no owner that would replace it");
  EXPECT_EQ(plan.before.to_replace, 3);
  EXPECT_EQ(plan.after.to_replace, 1);
  evictor().evict_failed_bare = true;
  options_.policy.max_per_node = 1;
  plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>", "b>"));
  EXPECT_EQ(Kept(plan)["bare"], "the limit of 1 eviction per node is reached");
}

class UtilizationPlanTest : public PlanTest {
 protected:
  UtilizationPlanTest() { NoOwnerLimit(); }

  void Set(StrategyKind kind, ResourceThresholds low,
           ResourceThresholds high = {}) {
    Strategy strategy = Of(kind);
    strategy.utilization.thresholds = std::move(low);
    strategy.utilization.target_thresholds = std::move(high);
    strategies() = {strategy};
  }
  UtilizationArgs& args() { return strategies()[0].utilization; }

  // Of 4 cpus.
  static std::string Cpu(const std::string& amount,
                         const std::string& more = "") {
    return absl::StrCat("{containers: [{name: c, resources: {requests: {cpu: ",
                        amount, "}}}]", more, "}");
  }
};

TEST_F(UtilizationPlanTest, PodsLeaveANodeUntilItIsNotAboveItsTarget) {
  AddNodes(2);
  for (const char* name : {"a", "b", "c", "d"}) {
    Add("n1", PodText(name, "app: web", Cpu("900m")));
  }
  Set(StrategyKind::kLowNodeUtilization, {{"cpu", 20}}, {{"cpu", 50}});
  const Plan plan = Make();
  EXPECT_THAT(Moves(plan), ElementsAre("a>n2", "b>n2"));
  EXPECT_EQ(plan.evictions[0].reason,
            "cpu of its node is requested to 90 %, the target is 50 %");
  EXPECT_EQ(plan.before.utilization, 400'000);
  EXPECT_EQ(plan.after.utilization, 0);
}

TEST_F(UtilizationPlanTest, NothingMovesIfTooFewNodesAreUnderutilized) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web", Cpu("1500m")));
  Add("n1", PodText("b", "app: web", Cpu("1500m")));
  Set(StrategyKind::kLowNodeUtilization, {{"cpu", 20}}, {{"cpu", 50}});
  args().number_of_nodes = 1;
  EXPECT_THAT(Make().evictions, IsEmpty());
  args().number_of_nodes = 0;
  EXPECT_THAT(Make().evictions, SizeIs(1));
  Node node = *cluster_.FindNode("n2")->node;
  node.unschedulable = true;
  cluster_.Upsert(std::move(node));
  EXPECT_THAT(Make().evictions, IsEmpty());
}

TEST_F(UtilizationPlanTest, APodMustFitWhereThereIsRoom) {
  AddNodes(2);
  Add("n1", PodText("a", "app: web",
                    Cpu("1500m",
                        ", nodeSelector: {host: "
                        "n1}")));
  Add("n1", PodText("b", "app: web",
                    Cpu("1500m",
                        ", nodeSelector: {host: "
                        "n1}")));
  Set(StrategyKind::kLowNodeUtilization, {{"cpu", 20}}, {{"cpu", 50}});
  const Plan plan = Make();
  EXPECT_THAT(plan.evictions, IsEmpty());
  EXPECT_EQ(Kept(plan)["a"], "it would come back to its node");
  EXPECT_EQ(plan.after.utilization, 250'000);
}

TEST_F(UtilizationPlanTest, ThresholdsCanBeDistancesFromTheAverage) {
  AddNodes(2);
  for (const char* name : {"a", "b", "c", "d"}) {
    Add("n1", PodText(name, "app: web", Cpu("400m")));
  }
  // The average is 20 %.
  Set(StrategyKind::kLowNodeUtilization, {{"cpu", 10}}, {{"cpu", 10}});
  args().use_deviation_thresholds = true;
  EXPECT_THAT(Moves(Make()), ElementsAre("a>n2"));
}

TEST_F(UtilizationPlanTest, AnUnderutilizedNodeIsEmptied) {
  AddNodes(2);
  Add("n1",
      PodText("a", "app: web", Cpu("100m", ", nodeSelector: {zone: z1}")));
  Add("n1", PodText("b", "app: web", Cpu("100m")));
  Add("n1", PodText("c", "app: web", "{nodeSelector: {zone: z1}}"));
  Add("n2", PodText("d", "app: web", Cpu("2")));
  Set(StrategyKind::kHighNodeUtilization, {{"cpu", 20}});
  Plan plan = Make();
  // The scheduler that spreads load would put `b` back.
  EXPECT_THAT(Moves(plan), UnorderedElementsAre("a>n2", "c>n2"));
  EXPECT_EQ(Kept(plan)["b"], "it would come back to its node");
  EXPECT_EQ(plan.before.utilization, 3'000'000);
  EXPECT_EQ(plan.after.utilization, 1'000'000);
  args().only_thresholding_resources = true;
  EXPECT_THAT(Moves(Make()), ElementsAre("a>n2"));
}

}  // namespace
}  // namespace vicinal
