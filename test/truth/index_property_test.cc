// Random histories of a small cluster: after every event, what the plugins
// answer from the index is what the naive ones find by walking all pods.
//
// A failing history prints its seed; VICINAL_SEED=<seed> runs it alone, and
// VICINAL_HISTORIES=<n> runs more of them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/engine/profile.h"
#include "core/engine/run_plugins.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/testing/dice.h"
#include "test/truth/interpodaffinity.h"
#include "test/truth/podtopologyspread.h"

namespace vicinal {
namespace {

constexpr int kEventsPerHistory = 24;

// Makes up objects out of few names, so that they meet.
class ObjectDice : public Dice {
 public:
  using Dice::Dice;

  std::string NamespaceName() { return Of({"ns1", "ns2", "ns3"}); }
  std::string TopologyKey() {
    return Of({kHostnameLabel, kZoneLabel, "rack", kZoneLabel});
  }

  Labels PodLabels() {
    Labels labels;
    if (Chance(85)) labels.Set("app", Of({"a", "b", "c"}));
    if (Chance(40)) labels.Set("tier", Of({"x", "", "y"}));
    if (Chance(10)) labels.Set("only", std::to_string(Below(1000)));
    return labels;
  }

  std::optional<LabelSelector> Selecting() {
    if (Chance(5)) return std::nullopt;
    LabelSelector selector;
    if (Chance(70)) selector.match_labels.Set("app", Of({"a", "b", "c"}));
    if (Chance(35)) {
      const std::string op = Of({"In", "NotIn", "Exists", "DoesNotExist"});
      LabelSelectorRequirement requirement{Of({"tier", "app", "only"}), op, {}};
      if (op == "In" || op == "NotIn") {
        requirement.values = {Of({"x", "a"}), Of({"", "b", "a"})};
      }
      selector.match_expressions.push_back(requirement);
    }
    return selector;
  }

  PodAffinityTerm Term() {
    PodAffinityTerm term;
    term.label_selector = Selecting();
    term.topology_key = TopologyKey();
    if (Chance(30)) term.namespaces = {NamespaceName(), NamespaceName()};
    if (Chance(25)) {
      LabelSelector& selector = term.namespace_selector.emplace();
      if (Chance(70)) {
        const std::string op = Of({"In", "NotIn", "Exists"});
        selector.match_expressions.push_back({"env", op, {}});
        if (op != "Exists") {
          selector.match_expressions.back().values = {Of({"prod", "test"})};
        }
      }
    }
    return term;
  }

  PodAffinity SomeAffinity() {
    PodAffinity affinity;
    if (Chance(50)) affinity.required.push_back(Term());
    if (Chance(15)) affinity.required.push_back(Term());
    if (Chance(45)) {
      affinity.preferred.push_back({Of({1, 50, 100}), Term()});
      if (Chance(30)) affinity.preferred.push_back(affinity.preferred.back());
    }
    return affinity;
  }

  TopologySpreadConstraint Constraint() {
    TopologySpreadConstraint constraint;
    constraint.max_skew = Of({1, 1, 2, 3});
    constraint.topology_key = TopologyKey();
    constraint.when_unsatisfiable = Of({kDoNotSchedule, kScheduleAnyway});
    constraint.label_selector = Selecting();
    if (Chance(20)) constraint.min_domains = Of({1, 2, 4});
    if (Chance(20)) constraint.node_affinity_policy = Of({kHonor, kIgnore});
    if (Chance(30)) constraint.node_taints_policy = Of({kHonor, kIgnore});
    if (Chance(20)) constraint.match_label_keys = {Of({"app", "tier"})};
    return constraint;
  }

  Pod MakePod() {
    Pod pod;
    pod.meta.name = "p" + std::to_string(Below(14));
    pod.meta.namespace_name = NamespaceName();
    pod.meta.uid = std::to_string(Number());
    pod.meta.labels = PodLabels();
    if (Chance(10)) pod.meta.deletion_timestamp = "2026-01-01T00:00:00Z";
    if (Chance(35)) {
      Affinity& affinity = pod.spec.affinity.emplace();
      if (Chance(60)) affinity.pod_affinity = SomeAffinity();
      if (Chance(60)) affinity.pod_anti_affinity = SomeAffinity();
    }
    if (Chance(30)) pod.spec.topology_spread_constraints = {Constraint()};
    if (Chance(15)) {
      pod.spec.topology_spread_constraints.push_back(Constraint());
    }
    if (Chance(15)) pod.spec.node_selector = Labels{{"rack", "r1"}};
    if (Chance(15)) pod.spec.tolerations = {{"t", "Exists", "", ""}};
    if (Chance(15)) pod.spec.priority = Of({0, 10});
    return pod;
  }

  // "n6" never exists.
  std::string NodeName() { return "n" + std::to_string(Below(7)); }

  Node MakeNode() {
    Node node;
    node.meta.name = "n" + std::to_string(Below(6));
    if (Chance(90)) node.meta.labels.Set(kHostnameLabel, node.meta.name);
    if (Chance(85)) node.meta.labels.Set(kZoneLabel, Of({"z1", "z2", ""}));
    if (Chance(60)) node.meta.labels.Set("rack", Of({"r1", "r2"}));
    if (Chance(20)) node.taints = {{"t", "", kNoSchedule}};
    return node;
  }
};

// What becomes of a pod between the scheduler's question and the API server's
// event: it is assumed on a node, confirmed there, or forgotten.
void MoveOn(ClusterState& cluster, ObjectDice& dice) {
  const StoredPod* const known = cluster.FindPod(
      {dice.NamespaceName(), "p" + std::to_string(dice.Below(14))});
  if (known == nullptr) return;
  Pod pod = known->ToPod();
  if (pod.spec.node_name.empty()) {
    pod.spec.node_name = dice.NodeName();  // Assumed.
  } else if (dice.Chance(50)) {
    pod.status.phase = kRunning;  // Confirmed.
    pod.status.nominated_node_name.clear();
  } else {
    pod.spec.node_name.clear();  // Forgotten.
  }
  cluster.Upsert(std::move(pod));
}

// One event, applied to the cluster; kinds as the API server tells them.
void HappenTo(ClusterState& cluster, ObjectDice& dice) {
  switch (dice.Below(12)) {
    case 10:
    case 11:
      MoveOn(cluster, dice);
      break;
    case 0:
    case 1:
      cluster.Upsert(dice.MakeNode());
      break;
    case 2:
      cluster.Remove<Node>({"", dice.NodeName()});
      break;
    case 3:
      cluster.Remove<Pod>(
          {dice.NamespaceName(), "p" + std::to_string(dice.Below(14))});
      break;
    case 4: {
      Namespace object;
      object.meta.name = dice.NamespaceName();
      if (dice.Chance(70)) {
        object.meta.labels.Set("env", dice.Of({"prod", "test"}));
      }
      if (dice.Chance(80)) {
        cluster.Upsert(object);
      } else {
        cluster.Remove<Namespace>({"", object.meta.name});
      }
      break;
    }
    case 5: {
      Service service;
      service.meta.name = "s";
      service.meta.namespace_name = dice.NamespaceName();
      service.selector = Labels{{"app", dice.Of({"a", "b"})}};
      cluster.Upsert(service);
      break;
    }
    default: {
      Pod pod = dice.MakePod();
      if (dice.Chance(75)) {
        pod.spec.node_name = dice.NodeName();
      } else if (dice.Chance(30)) {
        pod.status.nominated_node_name = dice.NodeName();
      }
      if (dice.Chance(5)) pod.status.phase = "Succeeded";
      cluster.Upsert(pod);
      if (dice.Chance(20)) cluster.Upsert(pod);  // Told twice.
    }
  }
}

TopologySpreadConstraint Default(const char* key, int max_skew) {
  TopologySpreadConstraint constraint;
  constraint.topology_key = key;
  constraint.when_unsatisfiable = kScheduleAnyway;
  constraint.max_skew = max_skew;
  return constraint;
}

Profile Truth(const InterPodAffinityArgs& args) {
  const std::vector<TopologySpreadConstraint> defaults = {
      Default(kHostnameLabel, 3), Default(kZoneLabel, 5)};
  Profile profile;
  profile.filters.push_back(
      std::make_unique<truth::PodTopologySpread>(defaults, true));
  profile.filters.push_back(std::make_unique<truth::InterPodAffinity>(args));
  profile.scores.push_back(
      {std::make_unique<truth::PodTopologySpread>(defaults, true), 2});
  profile.scores.push_back(
      {std::make_unique<truth::InterPodAffinity>(args), 2});
  return profile;
}

std::vector<std::string> Answers(const Profile& profile,
                                 const ClusterState& cluster,
                                 const PodInfo& pod) {
  const std::vector<const NodeInfo*> nodes = cluster.Nodes();
  std::vector<std::string> answers;
  std::vector<const NodeInfo*> feasible;
  const FilterOutcome filtered = RunFilterPlugins(profile, cluster, pod, nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Status& status = filtered.statuses[i];
    answers.push_back(nodes[i]->Name() + ": " +
                      std::to_string(static_cast<int>(status.code())) + " " +
                      std::string(status.plugin()) + " " + status.Message());
    if (status.ok()) feasible.push_back(nodes[i]);
  }
  const ScoreOutcome scored = RunScorePlugins(profile, cluster, pod, feasible);
  answers.push_back(scored.status.Message());
  for (const PluginScores& plugin : scored.plugins) {
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      answers.push_back(std::string(plugin.plugin) + " " + feasible[i]->Name() +
                        ": " + std::to_string(plugin.raw[i]) + " " +
                        std::to_string(plugin.normalized[i]));
    }
  }
  return answers;
}

template <typename Kind>
void RemoveAll(ClusterState& cluster) {
  for (const ObjectKey& key : cluster.Keys<Kind>()) cluster.Remove<Kind>(key);
}

void RunHistory(std::uint64_t seed) {
  ObjectDice dice(seed);
  InterPodAffinityArgs args;
  args.hard_pod_affinity_weight = dice.Of({1, 1, 0, 100});
  args.ignore_preferred_terms_of_existing_pods = dice.Chance(15);
  const Profile indexed = TopologyProfile(PodTopologySpreadArgs(), args);
  const Profile truth = Truth(args);

  ClusterState cluster;
  // The same questions again and again, so that counters live through events.
  std::vector<PodInfo> askers;
  for (int i = 0; i < 3; ++i) askers.emplace_back(dice.MakePod());
  for (int event = 0; event < kEventsPerHistory; ++event) {
    HappenTo(cluster, dice);
    askers[dice.Below(3)] = PodInfo(dice.MakePod());
    const PodInfo& asker = askers[dice.Below(3)];
    ASSERT_EQ(Answers(indexed, cluster, asker), Answers(truth, cluster, asker))
        << "after event " << event;
  }

  // Nothing stays when everything goes, in either order.
  if (dice.Chance(50)) RemoveAll<Node>(cluster);
  RemoveAll<Pod>(cluster);
  RemoveAll<Node>(cluster);
  ASSERT_TRUE(cluster.topology().IsEmpty());
}

TEST(IndexPropertyTest, AnswersAsTheNaivePluginsDoAfterEveryEvent) {
  const Seeds seeds = Seeds::FromEnvironment();
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count;
       ++seed) {
    RunHistory(seed);
    ASSERT_FALSE(HasFatalFailure()) << "VICINAL_SEED=" << seed;
  }
}

}  // namespace
}  // namespace vicinal
