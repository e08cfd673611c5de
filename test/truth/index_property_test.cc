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
#include "test/truth/object_dice.h"
#include "test/truth/podtopologyspread.h"

namespace vicinal {
namespace {

constexpr int kEventsPerHistory = 24;

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
