// How many of something there are on each node.
#ifndef VICINAL_CORE_INDEX_NODE_COUNTS_H_
#define VICINAL_CORE_INDEX_NODE_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/index/node_id.h"

namespace vicinal {

// As small as what it holds: in place for one node, a hash map for some, an
// array for many of the nodes there are.
class NodeCounts {
 public:
  NodeCounts() = default;
  NodeCounts(NodeCounts&&) = default;
  NodeCounts& operator=(NodeCounts&&) = default;

  // The same counts once more. Cost: O(size).
  NodeCounts Copy() const;

  // Cost: O(1), amortized.
  void Add(NodeId node, std::int32_t delta);

  // Cost: O(1).
  std::int32_t Get(NodeId node) const {
    if (!many_) return node == only_node_ ? only_count_ : 0;
    if (many_->dense.empty()) {
      const auto it = many_->sparse.find(node);
      return it == many_->sparse.end() ? 0 : it->second;
    }
    return node < many_->dense.size() ? many_->dense[node] : 0;
  }

  // On how many nodes there are any.
  std::size_t size() const {
    return many_ ? many_->size : static_cast<std::size_t>(only_count_ != 0);
  }
  bool empty() const { return size() == 0; }

  // Calls `visit(NodeId, count)` for each node with any, in no order.
  // Cost: O(size).
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    if (!many_) {
      if (only_count_ != 0) visit(only_node_, only_count_);
    } else if (many_->dense.empty()) {
      for (const auto& [node, count] : many_->sparse) visit(node, count);
    } else {
      for (NodeId node = 0; node < many_->dense.size(); ++node) {
        if (many_->dense[node] != 0) visit(node, many_->dense[node]);
      }
    }
  }

  // Nodes with any are below this.
  NodeId id_limit() const {
    if (many_) return many_->limit;
    return only_count_ != 0 ? only_node_ + 1 : 0;
  }
  // The counts by node, if that is how they are kept; else empty.
  std::span<const std::int32_t> array() const {
    return many_ ? std::span<const std::int32_t>(many_->dense)
                 : std::span<const std::int32_t>();
  }

 private:
  struct Many {
    absl::flat_hash_map<NodeId, std::int32_t> sparse;  // If dense is empty.
    std::vector<std::int32_t> dense;                   // By node.
    NodeId limit = 0;                                  // Above all nodes.
    std::size_t size = 0;
  };

  void AddToMany(NodeId node, std::int32_t delta);

  NodeId only_node_ = kNoNode;
  std::int32_t only_count_ = 0;
  std::unique_ptr<Many> many_;  // Set: instead of the two above.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NODE_COUNTS_H_
