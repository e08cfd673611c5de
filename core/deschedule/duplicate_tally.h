// How evenly the pods of one owner are spread over the nodes.
#ifndef VICINAL_CORE_DESCHEDULE_DUPLICATE_TALLY_H_
#define VICINAL_CORE_DESCHEDULE_DUPLICATE_TALLY_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "core/index/node_id.h"

namespace vicinal {

// An even share is the number of pods divided by the number of nodes that they
// may run on, rounded up.
// Source: sigs.k8s.io/descheduler
// pkg/framework/plugins/removeduplicates/removeduplicates.go.
class DuplicateTally {
 public:
  void Add(NodeId node, std::int64_t delta) {
    std::int64_t& count = counts_[node];
    count += delta;
    pods_ += delta;
    if (count == 0) counts_.erase(node);
  }

  // With fewer than two nodes there is nothing to spread.
  void SetNodes(std::int64_t nodes) {
    share_ = nodes < 2 ? pods_ : (pods_ + nodes - 1) / nodes;
  }

  std::int64_t share() const { return share_; }
  std::int64_t At(NodeId node) const {
    const auto it = counts_.find(node);
    return it == counts_.end() ? 0 : it->second;
  }
  std::int64_t Excess() const {
    std::int64_t excess = 0;
    for (const auto& [node, count] : counts_) {
      excess += std::max<std::int64_t>(0, count - share_);
    }
    return excess;
  }

 private:
  absl::flat_hash_map<NodeId, std::int64_t> counts_;
  std::int64_t pods_ = 0;
  std::int64_t share_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_DUPLICATE_TALLY_H_
