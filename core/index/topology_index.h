// Where pods are, kept ready for the questions of inter-pod affinity and
// topology spread, so that no question walks all pods.
//
//   TopologyIndex index;
//   index.AddNode(0, &node);
//   PodGroup* group = index.AddPod({"ns", labels, {}, false});
//   index.Place(*group, 0);
//   // Matching pods on node 0, and in its zone.
//   const PlacementCounts& pods = index.Count(query);
//   pods.by_node().Get(0);
//   const TopologyDomains& zones = index.Domains(kZone);
//   index.ByDomain(pods, zones).Of(zones.Of(0));
//
// Pods with the same namespace, labels and affinity terms form one group, and
// everything is decided once per group:
//   * a counter holds, for one PodQuery that has been asked, how many matching
//     pods are on each node; one of many groups is *wide*: it is summed up from
//     sets of groups, and from another one that counts nearly the same;
//   * a carried term holds the same for the pods that carry one distinct
//     affinity term.
// An event moves the counts of the pod's group: its counters and terms. New
// groups find their counters, new counters their groups, and incoming pods the
// carried terms that are about them, through inverted indexes on labels. What
// has been asked by domain, or for a set of nodes, is kept as well and moves
// with the same events.
//
// Thread safety: the functions marked const may be called by many threads at a
// time; the others exclude everything else. References that are returned are
// good until the next change.
#ifndef VICINAL_CORE_INDEX_TOPOLOGY_INDEX_H_
#define VICINAL_CORE_INDEX_TOPOLOGY_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/index/domain_counts.h"
#include "core/index/group_numbers.h"
#include "core/index/group_set.h"
#include "core/index/hashed_label.h"
#include "core/index/label_table.h"
#include "core/index/node_id.h"
#include "core/index/node_set.h"
#include "core/index/placement_counts.h"
#include "core/index/pod_group.h"
#include "core/index/pod_info.h"
#include "core/index/pod_query.h"
#include "core/index/selector_lookup.h"
#include "core/index/topology_domains.h"
#include "core/index/wide_counters.h"
#include "core/model/labels.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/sync/mutex.h"

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
  PlacementCounts pods;     // How often the pods carry it.
  std::size_t holders = 0;  // Calls of Carry less those of Drop.
};

class TopologyIndex {
 public:
  // How much there is, for metrics.
  struct Size {
    std::size_t nodes = 0;
    std::size_t groups = 0;
    std::size_t labels = 0;
    std::size_t terms = 0;
    std::size_t counters = 0;
    std::size_t topology_keys = 0;
    std::size_t domains = 0;
    std::size_t node_sets = 0;
  };

  TopologyIndex();
  ~TopologyIndex();
  TopologyIndex(const TopologyIndex&) = delete;
  TopologyIndex& operator=(const TopologyIndex&) = delete;

  // A node appears, changes its labels or taints, or goes; while that happens
  // nothing may be placed on it. `node` must stay where it is until it goes,
  // and change only together with a call of UpdateNode. Cost: O(topology keys
  // in use + node sets in use).
  void AddNode(NodeId id, const Node* node);
  void UpdateNode(NodeId id);
  void RemoveNode(NodeId id);

  // The terms that groups are made with. Each Carry needs a Drop, when no group
  // has the term any more. While no pod that carries it is placed, no question
  // looks at a term. Cost: O(term).
  CarriedTerm* Carry(CarriedTerm::Kind kind, const AffinityTerm& term,
                     std::int64_t weight);
  void Drop(CarriedTerm* term);

  // A pod appears; the group is how to place and to remove it. The labels that
  // it shares with `like`, the pod's group before a change, need not be looked
  // up. Cost: O(labels + terms); a group's first pod in addition finds its
  // counters, O(candidate selectors).
  PodGroup* AddPod(const PodGroupKey& key, const PodGroup* like = nullptr);
  // The pod must not be placed. Cost: O(1); of a group's last pod O(labels).
  void RemovePod(PodGroup* group);

  // A pod of the group is on a node that is there, or leaves it.
  // Cost: O(counters and terms of the group); of the first and last that
  // carries a term O(term).
  void Place(PodGroup& group, NodeId node);
  void Unplace(PodGroup& group, NodeId node);

  // The domains of a topology key. Cost: O(key); the first time O(nodes), if
  // any node has had such a label.
  const TopologyDomains& Domains(const std::string& topology_key) const;

  // The nodes that meet a condition. Cost: O(condition); the first time
  // O(nodes).
  const NodeSet& Nodes(const NodeCondition& condition) const;

  // How many pods match the query. Cost: O(query); the first time O(pod groups
  // that may match × their nodes), or if they are many, that of SearchGroups,
  // of WideCounters::Add and O(nodes of the groups by which the query differs
  // from the closest of those counted last).
  const PlacementCounts& Count(const PodQuery& query) const;

  // Counts of this index by domain, on all nodes or on those of a set.
  // Cost: O(1); the first time O(nodes with any).
  const DomainCounts& ByDomain(const PlacementCounts& counts,
                               const TopologyDomains& domains,
                               const NodeSet* among = nullptr) const;

  // Calls `visit(DomainId, count)` for domains with any, for some of them more
  // than once with a part of the count.
  // Cost: O(domains or nodes with any, whichever are fewer).
  template <typename Visit>
  void ForEachDomain(const PlacementCounts& counts,
                     const TopologyDomains& domains, Visit&& visit) const {
    if (counts.by_node().size() <= domains.id_limit() ||
        domains.is_per_node()) {
      counts.by_node().ForEach([&](NodeId node, std::int32_t count) {
        const DomainId domain = domains.Of(node);
        if (domain != kNoDomain) visit(domain, count);
      });
      return;
    }
    const DomainCounts& by_domain = ByDomain(counts, domains);
    for (DomainId domain = 0; domain < by_domain.id_limit(); ++domain) {
      const std::int64_t count = by_domain.Of(domain);
      if (count != 0) visit(domain, count);
    }
  }

  // Calls `visit(const CarriedTerm&)` for each carried term that is about
  // `pod`, whose namespace has the labels `namespace_labels`: those of required
  // anti-affinity, which filters ask for, or all others, which scores do.
  // Cost: O(labels of the pod + candidate terms).
  template <typename Visit>
  void ForEachAntiAffinityAbout(const Pod& pod, const Labels& namespace_labels,
                                Visit&& visit) const {
    ForEachTermAbout(anti_affinity_lookup_, pod, namespace_labels, visit);
  }
  template <typename Visit>
  void ForEachOtherTermAbout(const Pod& pod, const Labels& namespace_labels,
                             Visit&& visit) const {
    ForEachTermAbout(other_term_lookup_, pod, namespace_labels, visit);
  }

  // What questions make ready is bounded over a change. Without changes they
  // make more than is to be kept: whether they have, and how to forget it.
  // Cost: O(1), and of TrimCaches O(what is forgotten).
  bool HasTooMuchCached() const;
  void TrimCaches();

  // Cost: O(topology keys).
  Size size() const;

  // Whether nothing is left at all: no node, pod, term, counter, set or domain.
  // With the last pod go all counters, with the last node all domains and sets.
  bool IsEmpty() const;

 private:
  struct HashedGroupKey {
    const PodGroupKey& key;
    HashedLabels labels;
    std::size_t hash;
  };
  struct GroupHash {
    using is_transparent = void;
    std::size_t operator()(const HashedGroupKey& hashed) const {
      return hashed.hash;
    }
    std::size_t operator()(const std::unique_ptr<PodGroup>& group) const {
      return group->hash();
    }
    std::size_t operator()(const PodGroup* group) const {
      return group->hash();
    }
  };
  struct GroupEqual {
    using is_transparent = void;
    bool operator()(const std::unique_ptr<PodGroup>& a,
                    const std::unique_ptr<PodGroup>& b) const {
      return a == b;
    }
    bool operator()(const std::unique_ptr<PodGroup>& group,
                    const HashedGroupKey& hashed) const {
      return group->hash() == hashed.hash && group->Is(hashed.key);
    }
    bool operator()(const std::unique_ptr<PodGroup>& a,
                    const PodGroup* b) const {
      return a.get() == b;
    }
  };

  using TermLookup = SelectorLookup<const CarriedTerm*>;

  template <typename Visit>
  static void ForEachTermAbout(const TermLookup& lookup, const Pod& pod,
                               const Labels& namespace_labels, Visit& visit) {
    lookup.ForEachCandidate(pod.meta.labels, [&](const CarriedTerm* carried) {
      if (carried->term.Matches(pod, namespace_labels)) visit(*carried);
    });
  }
  TermLookup& LookupOf(const CarriedTerm& carried) {
    return carried.kind == CarriedTerm::Kind::kRequiredAntiAffinity
               ? anti_affinity_lookup_
               : other_term_lookup_;
  }

  // Tells the check of locks that the caller changes the index, and so is alone
  // with it.
  void AssertAlone() const ABSL_ASSERT_EXCLUSIVE_LOCK(cache_mutex_) {}

  PodGroup& CreateGroup(const HashedGroupKey& hashed, const PodGroup* like)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(cache_mutex_);
  void DeleteGroup(PodGroup* group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(cache_mutex_);
  // Calls visit(GroupId) for each group that has a label of the anchor; for
  // some more than once.
  template <typename Visit>
  void ForEachWith(const Requirement& anchor, Visit&& visit) const;
  // Whether so many groups may match that the counter is to be a wide one: more
  // than a small share of all, or nobody knows.
  bool IsWide(const Selector& selector) const;
  void CountFew(PodCounter& counter) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(cache_mutex_);
  void CountMany(PodCounter& counter) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(cache_mutex_);
  void DropCounter(PodCounter& counter)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(cache_mutex_);
  void EvictCounters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(cache_mutex_);
  void ForgetDomainCounts() ABSL_EXCLUSIVE_LOCKS_REQUIRED(cache_mutex_);

  std::vector<const Node*> nodes_;  // By id; null: no such node.
  std::size_t node_count_ = 0;
  // The keys of labels that nodes have, or had: others have no domains.
  absl::flat_hash_set<std::string> label_keys_;

  LabelTable labels_;
  LabelTable namespaces_;  // Of groups; the key is empty.
  absl::flat_hash_set<std::unique_ptr<PodGroup>, GroupHash, GroupEqual> groups_;
  GroupNumbers numbers_;

  absl::flat_hash_map<std::string, std::unique_ptr<CarriedTerm>> terms_;
  // Those that placed pods carry.
  TermLookup anti_affinity_lookup_;
  TermLookup other_term_lookup_;

  // Made ready by questions, kept up to date by events; of too many counters
  // those go that were not asked for longest. The lock guards them against
  // other questions, with the groups' lists of counters and the counts by
  // domain; the counts themselves change only with events, and so do not need
  // it.
  mutable Mutex cache_mutex_;
  mutable std::map<std::string, TopologyDomains, std::less<>> domains_
      ABSL_GUARDED_BY(cache_mutex_);
  mutable absl::flat_hash_map<std::string, std::unique_ptr<NodeSet>> node_sets_
      ABSL_GUARDED_BY(cache_mutex_);
  mutable absl::flat_hash_map<std::string, std::unique_ptr<PodCounter>>
      counters_ ABSL_GUARDED_BY(cache_mutex_);
  mutable SelectorLookup<PodCounter*> counter_lookup_
      ABSL_GUARDED_BY(cache_mutex_);
  mutable WideCounters wide_counters_ ABSL_GUARDED_BY(cache_mutex_);
  // The wide counters made last, while no group appears or goes.
  struct Recent {
    const PodCounter* counter;
    GroupSet members;
  };
  mutable std::vector<Recent> recent_ ABSL_GUARDED_BY(cache_mutex_);
  // A clock for eviction.
  mutable std::uint64_t questions_ ABSL_GUARDED_BY(cache_mutex_) = 0;
  // In all counts by domain, about.
  mutable std::size_t domain_cells_ ABSL_GUARDED_BY(cache_mutex_) = 0;

  // The answers while there are no pods or nodes, and for keys that no node
  // has: nothing is cached then.
  const PlacementCounts no_pods_;
  const TopologyDomains no_domains_;
  const NodeSet no_nodes_{NodeCondition()};
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_TOPOLOGY_INDEX_H_
