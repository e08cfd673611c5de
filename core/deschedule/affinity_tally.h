// The pods that require one and the same pod affinity, and those that it is
// about.
#ifndef VICINAL_CORE_DESCHEDULE_AFFINITY_TALLY_H_
#define VICINAL_CORE_DESCHEDULE_AFFINITY_TALLY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/deschedule/node_domains.h"
#include "core/index/node_id.h"
#include "core/index/pod_query.h"

namespace vicinal {

// A pod's affinity holds if in the domain of its node, of each term's key,
// another pod is that all terms are about; or if there is no such other pod
// anywhere and the terms are about the pod itself.
// Source: satisfyPodAffinity in
// pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
class AffinityTally {
 public:
  // `query`: the pods that all terms are about. `keys`: the domains of each
  // term's topology key.
  AffinityTally(PodQuery query, std::vector<std::string> topology_keys,
                std::vector<std::shared_ptr<const NodeDomains>> keys)
      : query_(std::move(query)), topology_keys_(std::move(topology_keys)) {
    for (auto& key : keys) {
      counts_.push_back({std::move(key), {}, 0});
      counts_.back().by_domain.resize(counts_.back().domains->size(), 0);
    }
  }

  const PodQuery& query() const { return query_; }
  const std::vector<std::string>& topology_keys() const {
    return topology_keys_;
  }

  // Counts `delta` more pods on a node that the terms are about.
  void AddMatching(NodeId node, std::int64_t delta) {
    for (KeyCounts& key : counts_) {
      const DomainId domain = key.domains->Of(node);
      if (domain == kNoDomain) continue;
      key.by_domain[domain] += delta;
      key.total += delta;
    }
  }

  // The same for pods that require this. `matching`: the terms are about them
  // too, which is to be told by AddMatching as well.
  void AddCarriers(NodeId node, bool matching, std::int64_t delta) {
    Carriers& carriers = carriers_[node];
    (matching ? carriers.matching : carriers.others) += delta;
    if (carriers.matching == 0 && carriers.others == 0) carriers_.erase(node);
  }

  // Calls `visit(NodeId)` for each node with pods that require this.
  template <typename Visit>
  void ForEachCarrierNode(Visit&& visit) const {
    for (const auto& [node, carriers] : carriers_) visit(node);
  }

  // Whether the affinity of a pod on the node holds. The pod itself is counted
  // if the terms are about it (`matching`). `extra`: as if one more pod that
  // they are about was there, which may be the pod itself; or kNoNode.
  bool Holds(NodeId node, bool matching, NodeId extra = kNoNode) const {
    const std::int64_t self = matching ? 1 : 0;
    bool others_here = true;
    bool nobody_else = true;
    for (const KeyCounts& key : counts_) {
      const DomainId domain = key.domains->Of(node);
      if (domain == kNoDomain) return false;
      const DomainId extra_domain = key.domains->Of(extra);
      others_here &=
          key.by_domain[domain] + (extra_domain == domain ? 1 : 0) > self;
      nobody_else &= key.total + (extra_domain == kNoDomain ? 0 : 1) == self;
    }
    return others_here || (matching && nobody_else);
  }

  // For how many of the pods it does not hold, with `extra` as above.
  // Cost: O(nodes with carriers).
  std::int64_t Broken(NodeId extra = kNoNode) const {
    std::int64_t broken = 0;
    for (const auto& [node, carriers] : carriers_) {
      if (carriers.matching > 0 && !Holds(node, true, extra)) {
        broken += carriers.matching;
      }
      if (carriers.others > 0 && !Holds(node, false, extra)) {
        broken += carriers.others;
      }
    }
    return broken;
  }

  // Whether one more pod on that node that the terms are about changes nothing
  // for the others, because there are enough.
  bool IsAmple(NodeId node) const {
    for (const KeyCounts& key : counts_) {
      const DomainId domain = key.domains->Of(node);
      if (domain == kNoDomain) continue;
      if (key.by_domain[domain] < 2) return false;
    }
    return true;
  }

 private:
  struct KeyCounts {
    std::shared_ptr<const NodeDomains> domains;
    std::vector<std::int64_t> by_domain;
    std::int64_t total = 0;
  };
  struct Carriers {
    std::int64_t matching = 0;
    std::int64_t others = 0;
  };

  const PodQuery query_;
  const std::vector<std::string> topology_keys_;
  std::vector<KeyCounts> counts_;  // By term.
  absl::flat_hash_map<NodeId, Carriers> carriers_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_AFFINITY_TALLY_H_
