// Random small clusters: what explain says is behind a refusal must be so. The
// verdicts are the engine's; the causes are checked with the naive plugins of
// test/truth, which walk all pods.
//
// A failing cluster prints its seed; VICINAL_SEED=<seed> runs it alone, and
// VICINAL_HISTORIES=<n> runs more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/engine/run_plugins.h"
#include "core/explain/explain.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/testing/dice.h"
#include "test/explain/verdict_check.h"
#include "test/truth/interpodaffinity.h"
#include "test/truth/podtopologyspread.h"

namespace vicinal {
namespace {

// Makes up objects out of few names, so that they meet.
class ObjectDice : public Dice {
 public:
  using Dice::Dice;

  std::string Key() { return Of({kHostnameLabel, kZoneLabel, "rack"}); }

  LabelSelector Selecting() {
    LabelSelector selector;
    if (Chance(85)) selector.match_labels.Set("app", Of({"a", "b"}));
    if (Chance(20)) {
      selector.match_expressions.push_back(
          {"tier", Of({"Exists", "DoesNotExist"}), {}});
    }
    return selector;
  }

  PodAffinityTerm Term() {
    PodAffinityTerm term;
    term.label_selector = Selecting();
    term.topology_key = Key();
    if (Chance(20)) term.namespaces = {"ns2"};
    if (Chance(15)) term.namespace_selector.emplace();
    return term;
  }

  PodAffinity Terms() {
    PodAffinity affinity;
    affinity.required.push_back(Term());
    if (Chance(30)) affinity.required.push_back(Term());
    return affinity;
  }

  Pod MakePod(int id) {
    Pod pod;
    pod.meta.name = "p" + std::to_string(id);
    pod.meta.namespace_name = Of({"ns1", "ns1", "ns2"});
    if (Chance(85)) pod.meta.labels.Set("app", Of({"a", "b"}));
    if (Chance(30)) pod.meta.labels.Set("tier", "x");
    if (Chance(10)) pod.meta.deletion_timestamp = "2026-01-01T00:00:00Z";
    if (Chance(15)) pod.spec.priority = 10;
    if (Chance(45)) {
      Affinity& affinity = pod.spec.affinity.emplace();
      if (Chance(30)) affinity.pod_affinity = Terms();
      if (Chance(70)) affinity.pod_anti_affinity = Terms();
    }
    Container& container = pod.spec.containers.emplace_back();
    if (Chance(30)) container.requests["cpu"] = *Quantity::Parse("1");
    return pod;
  }

  Pod Asker() {
    Pod pod = MakePod(99);
    const int constraints = Of({0, 1, 1, 2});
    for (int i = 0; i < constraints; ++i) {
      TopologySpreadConstraint& one =
          pod.spec.topology_spread_constraints.emplace_back();
      one.max_skew = Of({1, 1, 2});
      one.topology_key = Key();
      one.when_unsatisfiable =
          Of({kDoNotSchedule, kDoNotSchedule, kScheduleAnyway});
      one.label_selector = Selecting();
      if (Chance(20)) one.min_domains = Of({2, 4});
      if (Chance(20)) one.node_taints_policy = kHonor;
      if (Chance(20)) one.node_affinity_policy = kIgnore;
    }
    if (Chance(15)) pod.spec.node_selector = Labels{{"rack", "r1"}};
    if (Chance(10)) pod.spec.node_name = Of({"n1", "n9"});
    if (Chance(10)) pod.spec.tolerations = {{"t", "Exists", "", ""}};
    if (Chance(15)) {
      if (!pod.spec.affinity) pod.spec.affinity.emplace();
      NodeSelector& terms =
          pod.spec.affinity->node_affinity.emplace().required.emplace();
      const int count = Of({0, 1, 1, 2});
      for (int i = 0; i < count; ++i) {
        NodeSelectorTerm& term = terms.emplace_back();
        if (Chance(70)) {
          term.match_expressions.push_back(
              {"rack", Of({"In", "Exists", "Never"}), {}});
          if (term.match_expressions[0].op == "In") {
            term.match_expressions[0].values = {"r2"};
          }
        }
        if (Chance(40)) {
          term.match_fields.push_back({"metadata.name", "In", {"n2"}});
        }
      }
    }
    return pod;
  }

  Node MakeNode(int id) {
    Node node;
    node.meta.name = "n" + std::to_string(id);
    if (Chance(90)) node.meta.labels.Set(kHostnameLabel, node.meta.name);
    if (Chance(85)) node.meta.labels.Set(kZoneLabel, Of({"z1", "z2", ""}));
    if (Chance(60)) node.meta.labels.Set("rack", Of({"r1", "r2"}));
    if (Chance(15)) node.taints = {{"t", "", kNoSchedule}};
    if (Chance(10)) node.unschedulable = true;
    node.allocatable["cpu"] = *Quantity::Parse("2");
    node.allocatable["pods"] = *Quantity::Parse(Chance(90) ? "20" : "1");
    return node;
  }
};

// A cluster that can be made again without some of its pods.
struct SimulatedCluster {
  std::vector<Node> nodes;
  std::vector<Pod> pods;

  explicit SimulatedCluster(ObjectDice& dice) {
    const int node_count = 2 + dice.Below(4);
    for (int i = 0; i < node_count; ++i) nodes.push_back(dice.MakeNode(i));
    const int pod_count = dice.Below(10);
    for (int i = 0; i < pod_count; ++i) {
      Pod pod = dice.MakePod(i);
      const std::string node = "n" + std::to_string(dice.Below(node_count));
      if (dice.Chance(85)) {
        pod.spec.node_name = node;
      } else {
        pod.status.nominated_node_name = node;
        pod.spec.priority = dice.Of({0, 10});
      }
      pods.push_back(std::move(pod));
    }
  }

  void Fill(ClusterState& cluster,
            const std::set<ObjectKey>& without = {}) const {
    for (const Node& node : nodes) cluster.Upsert(node);
    for (const Pod& pod : pods) {
      if (!without.contains(KeyOf(pod.meta))) cluster.Upsert(pod);
    }
  }
};

template <typename Plugin>
std::string ReasonOf(const Plugin& plugin, const SimulatedCluster& world,
                     const std::set<ObjectKey>& without, const Pod& pod,
                     const std::string& node) {
  ClusterState cluster;
  world.Fill(cluster, without);
  // Nominated pods count, as in the engine.
  Profile profile;
  profile.filters.push_back(std::make_unique<Plugin>(plugin));
  const std::vector<const NodeInfo*> nodes = {cluster.FindNode(node)};
  const PodInfo info(pod);
  return RunFilterPlugins(profile, cluster, info, nodes).statuses[0].Message();
}

std::set<ObjectKey> KeysOf(const std::vector<PodReference>& pods) {
  std::set<ObjectKey> keys;
  for (const PodReference& pod : pods) keys.insert(pod.key);
  return keys;
}

const truth::InterPodAffinity& NaiveAffinity() {
  static const truth::InterPodAffinity kPlugin{InterPodAffinityArgs()};
  return kPlugin;
}

// The index at the end of `spec.….x[3]`.
std::size_t IndexOf(const std::string& rule) {
  return std::strtoull(rule.c_str() + rule.rfind('[') + 1, nullptr, 10);
}

class CausesCheck {
 public:
  CausesCheck(const SimulatedCluster& world, const Pod& asker)
      : world_(world), asker_(asker), profile_(DefaultProfile(config_)) {
    world_.Fill(cluster_);
  }

  void Run() {
    const PodInfo info(asker_);
    const Explanation explanation = Explain(cluster_, profile_, config_, info);
    for (const NodeExplanation& node : explanation.nodes) {
      SCOPED_TRACE(node.name);
      CheckVerdict(explanation, node);
      for (const std::size_t index : node.causes) {
        CheckCause(explanation.causes.at(index), node.name);
      }
    }
    CheckExisting();
  }

  int pod_causes() const { return pod_causes_; }

 private:
  void CheckCause(const Cause& cause, const std::string& node) {
    SCOPED_TRACE(cause.rule + " " + cause.found);
    switch (cause.kind) {
      case Cause::Kind::kAntiAffinity:
        CheckAntiAffinity(cause, node);
        break;
      case Cause::Kind::kExistingAntiAffinity:
        EXPECT_FALSE(cause.blocking_pods.empty());
        break;
      case Cause::Kind::kSpread:
        CheckSpread(cause, node);
        break;
      case Cause::Kind::kAffinity:
        CheckAffinity(cause);
        break;
      default:
        EXPECT_TRUE(cause.blocking_pods.empty());
    }
  }

  // By the one term alone the node is closed, and open without the named pods.
  void CheckAntiAffinity(const Cause& cause, const std::string& node) {
    ++pod_causes_;
    Pod alone = asker_;
    alone.spec.affinity.emplace().pod_anti_affinity.emplace().required = {
        asker_.spec.affinity->pod_anti_affinity->required.at(
            IndexOf(cause.rule))};
    EXPECT_EQ(ReasonOf(NaiveAffinity(), world_, {}, alone, node),
              InterPodAffinity::kReasonAntiAffinity);
    EXPECT_NE(ReasonOf(NaiveAffinity(), world_, KeysOf(cause.blocking_pods),
                       alone, node),
              InterPodAffinity::kReasonAntiAffinity);
  }

  void CheckSpread(const Cause& cause, const std::string& node) {
    ++pod_causes_;
    ASSERT_TRUE(cause.skew.has_value());
    const SkewNumbers& skew = *cause.skew;
    EXPECT_GT(skew.match + skew.self - skew.minimum, skew.max_skew);
    EXPECT_EQ(static_cast<std::int64_t>(cause.blocking_pods.size()),
              skew.match);
    Pod alone = asker_;
    auto& constraints = alone.spec.topology_spread_constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      // The others' keys still decide which nodes count.
      if (i != IndexOf(cause.rule)) constraints[i].max_skew = 1'000'000;
    }
    const truth::PodTopologySpread naive({}, false);
    EXPECT_EQ(ReasonOf(naive, world_, {}, alone, node),
              PodTopologySpread::kReasonConstraints);
    EXPECT_NE(ReasonOf(naive, world_, KeysOf(cause.blocking_pods), alone, node),
              PodTopologySpread::kReasonConstraints);
  }

  // Nobody whom all terms are about is in the domain.
  void CheckAffinity(const Cause& cause) {
    const PodInfo info(asker_);
    for (const Pod& pod : world_.pods) {
      if (pod.spec.node_name.empty()) continue;
      const auto node = std::find_if(
          world_.nodes.begin(), world_.nodes.end(), [&pod](const Node& one) {
            return one.meta.name == pod.spec.node_name;
          });
      const std::string* value = node->meta.labels.Find(cause.topology_key);
      if (value == nullptr || *value != cause.domain) continue;
      EXPECT_FALSE(std::all_of(info.required_affinity_terms.begin(),
                               info.required_affinity_terms.end(),
                               [&pod](const AffinityTerm& term) {
                                 return term.Matches(pod, Labels());
                               }))
          << pod.meta.name;
    }
  }

  // A pod without rules of its own: with all that it is told, it is let in.
  void CheckExisting() {
    Pod plain = asker_;
    plain.spec.affinity.reset();
    const PodInfo info(plain);
    const Explanation explanation = Explain(cluster_, profile_, config_, info);
    for (const NodeExplanation& node : explanation.nodes) {
      std::set<ObjectKey> blocking;
      for (const std::size_t index : node.causes) {
        const Cause& cause = explanation.causes.at(index);
        if (cause.kind != Cause::Kind::kExistingAntiAffinity) continue;
        blocking.merge(KeysOf(cause.blocking_pods));
      }
      SCOPED_TRACE(node.name);
      EXPECT_EQ(ReasonOf(NaiveAffinity(), world_, {}, plain, node.name),
                blocking.empty()
                    ? ""
                    : InterPodAffinity::kReasonExistingAntiAffinity);
      EXPECT_EQ(ReasonOf(NaiveAffinity(), world_, blocking, plain, node.name),
                "");
      if (!blocking.empty()) ++pod_causes_;
    }
  }

  const SimulatedCluster& world_;
  const Pod& asker_;
  const PluginConfig config_;
  const Profile profile_;
  ClusterState cluster_;
  int pod_causes_ = 0;
};

TEST(CausesPropertyTest, WhatIsSaidToBeBehindARefusalIsSo) {
  const Seeds seeds = Seeds::FromEnvironment();
  int pod_causes = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count;
       ++seed) {
    ObjectDice dice(seed);
    const SimulatedCluster world(dice);
    const Pod asker = dice.Asker();
    CausesCheck check(world, asker);
    check.Run();
    pod_causes += check.pod_causes();
    ASSERT_FALSE(HasFailure()) << "VICINAL_SEED=" << seed;
  }
  if (!seeds.is_replay) {
    EXPECT_GT(pod_causes, static_cast<int>(seeds.count / 2))
        << "too easy clusters";
  }
}

}  // namespace
}  // namespace vicinal
