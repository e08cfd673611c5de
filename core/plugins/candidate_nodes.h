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
// pointer to each of many thousand nodes takes longer than their work.
class CandidateNodes {
 public:
  CandidateNodes() = default;  // None.
  // The nodes, which must be there, and the array outlive this.
  // Cost: O(nodes).
  explicit CandidateNodes(std::span<const NodeInfo* const> nodes)
      : nodes_(nodes) {
    ids_.reserve(nodes.size());
    for (const NodeInfo* node : nodes) ids_.push_back(node->id);
  }

  std::size_t size() const { return nodes_.size(); }
  const NodeInfo* operator[](std::size_t i) const { return nodes_[i]; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

  std::span<const NodeId> ids() const { return ids_; }

 private:
  std::span<const NodeInfo* const> nodes_;
  std::vector<NodeId> ids_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_CANDIDATE_NODES_H_
