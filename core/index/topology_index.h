// Where pods are, kept ready for the questions of inter-pod affinity and
// topology spread, so that no question walks all pods.
//
//   TopologyIndex index;
//   index.AddNode(0, node.meta.labels);
//   PodGroup* group = index.AddPod(pod_info, 0);
//   for (const auto& [node, pods] : index.Count(query)) …   // matching pods
//   const TopologyDomains& zones =
//   index.Domains("topology.kubernetes.io/zone"); zones.Of(0); // node 0's zone
//
// Pods with the same namespace, labels and affinity terms form one group, and
// everything is decided once per group:
//   * a counter holds, for one PodQuery that has been asked, how many matching
//     pods are on each node;
//   * a carried term holds the same for the pods that carry one distinct
//     affinity term.
// An event moves the counts of the pod's group: its counters and terms. New
// groups find their counters, new counters their groups, and incoming pods the
// carried terms that are about them, through inverted indexes on labels.
// Counts are kept by node, not by domain: a question adds them up over the
// nodes that have any, so that relabelling a node changes no count.
//
// Thread safety: the functions marked const may be called by many threads at a
// time; the others exclude everything else. References that are returned are
// good until the next change.
#ifndef VICINAL_CORE_INDEX_TOPOLOGY_INDEX_H_
#define VICINAL_CORE_INDEX_TOPOLOGY_INDEX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/index/node_counts.h"
#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/index/pod_query.h"
#include "core/index/selector_lookup.h"
#include "core/index/topology_domains.h"
#include "core/model/labels.h"
#include "core/model/pod.h"

namespace vicinal {

// One distinct affinity term that pods in the cluster carry.
struct CarriedTerm {
  enum class Kind {
    kRequiredAffinity,
    kRequiredAntiAffinity,
    kPreferred,  // Affinity and anti-affinity; the latter weighs less than 0.
  };

  Kind kind = Kind::kRequiredAffinity;
  AffinityTerm term;
  std::int64_t weight = 0;  // Of a preferred term.
  NodeCounts nodes;         // How often the pods of a node carry it.
  std::size_t groups = 0;   // That carry it.
};

class PodGroup;  // Pods that are the same to the index.

class TopologyIndex {
 public:
  TopologyIndex();
  ~TopologyIndex();
  TopologyIndex(const TopologyIndex&) = delete;
  TopologyIndex& operator=(const TopologyIndex&) = delete;

  // A node appears, is relabelled, or goes; its pods must have been removed
  // before it goes. `labels` must stay where they are until the node goes, and
  // change only together with a call of UpdateNode.
  // Cost: O(topology keys in use).
  void AddNode(NodeId node, const Labels& labels);
  void UpdateNode(NodeId node);
  void RemoveNode(NodeId node);

  // A pod appears on a node that is there. The group is how to remove it.
  // Cost: O(labels + terms) to find the group, O(its counters + terms) to
  // count; a group's first pod in addition finds its counters, O(labels +
  // candidate selectors).
  PodGroup* AddPod(const PodInfo& pod, NodeId node);
  // Cost: O(counters and terms of the group).
  void RemovePod(PodGroup* group, NodeId node);

  // The domains of a topology key. Cost: O(key); the first time O(nodes).
  const TopologyDomains& Domains(const std::string& topology_key) const;

  // How many pods match the query, by node. Cost: O(query); the first time
  // O(pod groups that may match × their nodes).
  const NodeCounts& Count(const PodQuery& query) const;

  // Calls `visit(const CarriedTerm&)` for each carried term that is about
  // `pod`, whose namespace has the labels `namespace_labels`.
  // Cost: O(labels of the pod + candidate terms).
  template <typename Visit>
  void ForEachTermAbout(const Pod& pod, const Labels& namespace_labels,
                        Visit&& visit) const {
    term_lookup_.ForEachCandidate(
        pod.meta.labels, [&](const CarriedTerm* carried) {
          if (carried->term.Matches(pod, namespace_labels)) visit(*carried);
        });
  }

  // Whether nothing is left at all: no node, pod, term, counter or domain. With
  // the last pod go all counters, with the last node all domains.
  bool IsEmpty() const;

 private:
  friend class PodGroup;
  struct Counter;

  PodGroup& FindOrCreateGroup(const PodInfo& pod);
  void DeleteGroup(PodGroup& group);
  CarriedTerm* Carry(CarriedTerm::Kind kind, const AffinityTerm& term,
                     std::int64_t weight);
  void Drop(CarriedTerm* carried);
  // Calls visit(PodGroup&) for each group that may match the condition.
  template <typename Visit>
  void ForEachGroup(const PodQuery::Condition& condition, Visit&& visit) const;
  void DropCounter(Counter& counter);
  void EvictCounters();

  std::vector<const Labels*> node_labels_;  // By node; null: no such node.
  std::size_t node_count_ = 0;

  absl::flat_hash_map<std::string, std::unique_ptr<PodGroup>> groups_;
  absl::flat_hash_map<std::string, absl::flat_hash_set<PodGroup*>>
      groups_by_label_;  // By LabelPosting.
  absl::flat_hash_map<std::string, absl::flat_hash_set<PodGroup*>>
      groups_by_namespace_;

  absl::flat_hash_map<std::string, std::unique_ptr<CarriedTerm>> terms_;
  SelectorLookup<const CarriedTerm*> term_lookup_;

  // Made ready by questions, kept up to date by events; of too many counters
  // those go that were not asked for longest. Guarded by cache_mutex_ against
  // other questions; the objects themselves change only with events, and so do
  // not need it.
  mutable std::mutex cache_mutex_;
  mutable std::map<std::string, TopologyDomains, std::less<>> domains_;
  mutable absl::flat_hash_map<std::string, std::unique_ptr<Counter>> counters_;
  mutable SelectorLookup<Counter*> counter_lookup_;
  mutable std::uint64_t questions_ = 0;  // A clock for eviction.

  // The answers while there are no pods or no nodes: nothing is cached then.
  const NodeCounts no_pods_;
  const TopologyDomains no_domains_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_TOPOLOGY_INDEX_H_
