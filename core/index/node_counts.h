// How many of something there are on each node.
#ifndef VICINAL_CORE_INDEX_NODE_COUNTS_H_
#define VICINAL_CORE_INDEX_NODE_COUNTS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "core/index/node_id.h"

namespace vicinal {

// Sparse: nodes without any are absent.
class NodeCounts {
 public:
  void Add(NodeId node, std::int32_t delta) {
    const auto it = counts_.try_emplace(node, 0).first;
    it->second += delta;
    if (it->second == 0) counts_.erase(it);
  }

  std::int32_t Get(NodeId node) const {
    const auto it = counts_.find(node);
    return it == counts_.end() ? 0 : it->second;
  }

  bool empty() const { return counts_.empty(); }
  // Pairs of node and count, in no order.
  auto begin() const { return counts_.begin(); }
  auto end() const { return counts_.end(); }

 private:
  absl::flat_hash_map<NodeId, std::int32_t> counts_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NODE_COUNTS_H_
