// How many of something there are on each node, and in each topology domain
// that anybody has asked about.
#ifndef VICINAL_CORE_INDEX_PLACEMENT_COUNTS_H_
#define VICINAL_CORE_INDEX_PLACEMENT_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/index/domain_counts.h"
#include "core/index/node_counts.h"
#include "core/index/node_id.h"
#include "core/index/topology_domains.h"

namespace vicinal {

// The domains of a node must not change while there is anything on it.
//
// Thread safety: ByDomain may be called by one thread at a time, other const
// functions by many; Add and Forget exclude everything else.
class PlacementCounts {
 public:
  PlacementCounts() = default;
  // None by domain has been asked for yet.
  explicit PlacementCounts(NodeCounts by_node) : by_node_(std::move(by_node)) {}

  // Cost: O(domain counts that have been asked for).
  void Add(NodeId node, std::int32_t delta) {
    by_node_.Add(node, delta);
    for (const auto& view : by_domain_) view->Add(node, delta);
  }

  const NodeCounts& by_node() const { return by_node_; }
  // How many there are on all nodes together. Cost: O(nodes with any).
  std::int64_t Total() const;

  // The sums by domain, over all nodes or over those of which `among` has any;
  // it must not change for a node while there is anything on it. Both
  // arguments must live as long as this, or until Forget.
  // Cost: O(what has been asked for); the first time O(nodes with any).
  const DomainCounts& ByDomain(const TopologyDomains& domains,
                               const NodeCounts* among) const;

  // Forgets the sums by domain; they are made again when asked for.
  void Forget() { by_domain_.clear(); }
  std::size_t domain_counts() const { return by_domain_.size(); }

 private:
  struct View {
    const TopologyDomains* domains;
    const NodeCounts* among;  // Null: all nodes.
    DomainCounts counts;

    void Add(NodeId node, std::int32_t delta) {
      if (among != nullptr && among->Get(node) == 0) return;
      counts.Add(domains->Of(node), delta);
    }
  };

  NodeCounts by_node_;
  mutable std::vector<std::unique_ptr<View>> by_domain_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_PLACEMENT_COUNTS_H_
