// The rules that running pods are under, with the tallies about those that are
// not a matter of a pod and its node alone.
//
//   RuleTallies rules(cluster, scope);
//   cluster.Remove<Pod>(key); rules.Count(pod, node.id, -1);
//   const PodCosts costs(cluster, rules, pod);
//   costs.At(other) - costs.At(node)     // What it changes if the pod moves.
//   cluster.Upsert(moved); rules.Count(pod, other.id, 1);
#ifndef VICINAL_CORE_DESCHEDULE_RULE_TALLIES_H_
#define VICINAL_CORE_DESCHEDULE_RULE_TALLIES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/deschedule/affinity_tally.h"
#include "core/deschedule/cluster_cost.h"
#include "core/deschedule/duplicate_tally.h"
#include "core/deschedule/node_domains.h"
#include "core/deschedule/node_utilization.h"
#include "core/deschedule/policy.h"
#include "core/deschedule/spread_tally.h"
#include "core/index/cluster_state.h"
#include "core/index/domain_counts.h"
#include "core/index/pod_info.h"
#include "core/index/selector_lookup.h"
#include "core/index/stored_pod.h"
#include "core/model/node_selector.h"
#include "core/model/selector.h"

namespace vicinal {

// Which rules count that need not hold.
struct RuleScope {
  bool schedule_anyway = false;
  // For each strategy that looks for duplicates, the kinds of owners whose pods
  // it leaves alone.
  std::vector<std::vector<std::string>> duplicates_but_of;
  bool preferred_pod_affinity = false;
  bool preferred_node_affinity = false;
  bool prefer_no_schedule = false;
  // The strategies about how full nodes are, and which nodes they look at.
  struct Utilization {
    StrategyKind kind;
    UtilizationArgs args;
  };
  std::vector<Utilization> utilizations;
  std::optional<Selector> utilization_nodes;  // Absent: all.

  // What the strategies of a policy look at.
  static RuleScope Of(const Policy& policy);
};

// The controller of a pod, or else its first owner, as `namespace/kind/name`;
// empty if it has none.
std::string OwnerKeyOf(const ObjectMeta& meta);

// Whether any owner is of one of the kinds.
bool IsOwnedByOneOf(const ObjectMeta& meta,
                    const std::vector<std::string>& kinds);

// Weight of a PreferNoSchedule taint that a pod does not tolerate.
inline constexpr std::int64_t kPreferNoScheduleWeight = 100;

// Not thread-safe. Nodes, namespaces and workloads of the cluster must not
// change during its life.
class RuleTallies {
 public:
  // Cost: O(pods + constraints × nodes with pods that they count).
  RuleTallies(const ClusterState& cluster, RuleScope scope);

  const RuleScope& scope() const { return scope_; }
  // As KubernetesRelease's.
  bool taint_comparisons() const {
    return cluster_.release().taint_comparisons;
  }

  // Tells that a pod is on a node (1), or is there no longer (-1).
  // Cost: O(labels + constraints that count it or that it carries).
  void Count(const PodInfo& pod, NodeId node, std::int64_t delta);

  // Null if the pod has no required affinity, or the tallies do not know it.
  const AffinityTally* AffinityOf(const PodInfo& pod) const;
  // Null if the pod's owner is not one whose duplicates are looked for.
  const DuplicateTally* DuplicatesOf(const Pod& pod) const;

  const std::vector<std::unique_ptr<NodeUtilization>>& utilizations() const {
    return utilizations_;
  }
  // Null if the strategy is not in the scope.
  const NodeUtilization* UtilizationOf(const Strategy& strategy) const;

  const std::vector<std::unique_ptr<SpreadTally>>& spreads() const {
    return spreads_;
  }
  const std::vector<std::unique_ptr<AffinityTally>>& affinities() const {
    return affinities_;
  }

  // Those that count a pod of these labels.
  std::vector<const SpreadTally*> SpreadsAbout(
      const std::string& namespace_name, const Labels& labels) const;
  std::vector<const AffinityTally*> AffinitiesAbout(
      const std::string& namespace_name, const Labels& labels) const;

  // What all pods cost by the tallies, without what a pod and its node or two
  // pods have to do with each other.
  ClusterCost TotalCost() const;

 private:
  std::shared_ptr<const NodeDomains> DomainsOf(const std::string& topology_key);
  void AddSpreads(const Pod& pod, std::string_view action);
  AffinityTally& TallyOf(const PodInfo& pod);
  std::string AffinityKeyOf(const PodInfo& pod) const;
  std::string DuplicateKeyOf(const Pod& pod) const;
  void CountDuplicateNodes();

  const ClusterState& cluster_;
  const RuleScope scope_;
  std::vector<NodeId> unschedulable_;
  absl::flat_hash_map<std::string, std::shared_ptr<const NodeDomains>> domains_;
  std::vector<std::unique_ptr<SpreadTally>> spreads_;
  absl::flat_hash_map<std::string, SpreadTally*> spread_of_;  // By meaning.
  absl::flat_hash_map<std::string, SelectorLookup<SpreadTally*>>
      spread_lookup_;  // By namespace.
  std::vector<std::unique_ptr<AffinityTally>> affinities_;
  absl::flat_hash_map<std::string, AffinityTally*> affinity_of_;  // By meaning.
  SelectorLookup<AffinityTally*> affinity_lookup_;
  struct Duplicates {
    Pod example;
    DuplicateTally tally;
  };
  absl::flat_hash_map<std::string, Duplicates> duplicates_;
  std::vector<std::unique_ptr<NodeUtilization>> utilizations_;
};

// What it costs that a pod is on this or that node. The pod must have been
// taken out of the cluster and of the rules, and none of them may change during
// its life. Cost of making it: that of the index's answers about its terms.
class PodCosts {
 public:
  PodCosts(const ClusterState& cluster, const RuleTallies& rules,
           const PodInfo& pod);

  // All that depends on where the pod is. Cost: O(terms about it).
  ClusterCost At(const NodeInfo& node) const;

  // The parts of it. In pairs of pods:
  std::int64_t AntiAffinityPairs(const NodeInfo& node) const;
  // The sum of the weights of preferred anti-affinity.
  std::int64_t PreferredAntiAffinity(const NodeInfo& node) const;
  bool MatchesNodeAffinity(const NodeInfo& node) const;
  std::int64_t PreferredNodeAffinity(const NodeInfo& node) const;
  // Whether the pod's own required affinity holds.
  bool AffinityHolds(const NodeInfo& node) const;
  // The soft part of the cost alone.
  std::int64_t Soft(const NodeInfo& node) const;

  const std::vector<const SpreadTally*>& spreads() const { return spreads_; }
  const DuplicateTally* duplicates() const { return duplicates_; }
  // The topology keys by which required anti-affinity is broken on the node.
  std::vector<std::string> BrokenKeys(const NodeInfo& node) const;

 private:
  struct Near {
    const std::string* topology_key;
    const TopologyDomains* domains;
    const DomainCounts* counts;
    std::int64_t weight;
  };
  static std::int64_t Sum(const std::vector<Near>& terms, NodeId node);
  std::int64_t BrokenAffinities(NodeId node) const;

  const RuleTallies& rules_;
  const PodInfo& pod_;
  const RequiredNodeAffinity required_;
  std::optional<PreferredSchedulingTerms> preferred_;
  std::vector<Near> hard_;
  std::vector<Near> preferred_anti_;  // Weights above 0: costs.
  std::vector<Near> preferred_near_;  // Weights below 0.
  std::vector<const SpreadTally*> spreads_;
  // About the pod, and for how many pods they do not hold without it.
  std::vector<std::pair<const AffinityTally*, std::int64_t>> affinities_;
  const AffinityTally* own_affinity_ = nullptr;
  bool own_matches_ = false;
  const DuplicateTally* duplicates_ = nullptr;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_RULE_TALLIES_H_
