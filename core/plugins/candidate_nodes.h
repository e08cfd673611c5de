// The nodes that a question is about.
#ifndef VICINAL_CORE_PLUGINS_CANDIDATE_NODES_H_
#define VICINAL_CORE_PLUGINS_CANDIDATE_NODES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "core/index/node_id.h"
#include "core/index/node_info.h"

namespace vicinal {

// With their ids side by side, for plugins that need nothing else: following a
// pointer to each of many thousand nodes takes longer than their work. Not
// thread-safe: one question is answered by one thread.
class CandidateNodes {
 public:
  CandidateNodes() = default;  // None.
  // The nodes, which must be there, and the array outlive this.
  explicit CandidateNodes(std::span<const NodeInfo* const> nodes)
      : nodes_(nodes) {}

  std::size_t size() const { return nodes_.size(); }
  const NodeInfo* operator[](std::size_t i) const { return nodes_[i]; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

  // Cost: the first time O(nodes).
  std::span<const NodeId> ids() const {
    if (ids_.size() != nodes_.size()) {
      ids_.reserve(nodes_.size());
      for (const NodeInfo* node : nodes_) ids_.push_back(node->id);
    }
    return ids_;
  }

 private:
  std::span<const NodeInfo* const> nodes_;
  mutable std::vector<NodeId> ids_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_CANDIDATE_NODES_H_
