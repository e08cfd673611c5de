// The nodes that a question is about.
#ifndef VICINAL_CORE_PLUGINS_CANDIDATE_NODES_H_
#define VICINAL_CORE_PLUGINS_CANDIDATE_NODES_H_

#include <cstddef>
#include <span>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/index/node_info.h"

namespace vicinal {

// With their ids side by side, for plugins that need nothing else: following a
// pointer to each of many thousand nodes takes longer than their work. Not
// thread-safe: one question is answered by one thread.
class CandidateNodes {
 public:
  CandidateNodes() = default;  // None.
  // The nodes must be there, and outlive this as the array does. Lists of nodes
  // are candidates wherever these are asked for.
  // NOLINTNEXTLINE(google-explicit-constructor)
  CandidateNodes(std::span<const NodeInfo* const> nodes) : nodes_(nodes) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  CandidateNodes(const std::vector<const NodeInfo*>& nodes) : nodes_(nodes) {}
  // With their ids, in the same order, which also outlive this.
  CandidateNodes(std::span<const NodeInfo* const> nodes,
                 std::span<const NodeId> ids)
      : nodes_(nodes), ids_(ids) {}
  CandidateNodes(const CandidateNodes&) = delete;
  CandidateNodes& operator=(const CandidateNodes&) = delete;

  std::size_t size() const { return nodes_.size(); }
  const NodeInfo* operator[](std::size_t i) const { return nodes_[i]; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

  // Cost: O(1); if they were not given O(nodes) the first time.
  std::span<const NodeId> ids() const {
    if (ids_.size() != nodes_.size()) {
      own_ids_.reserve(nodes_.size());
      for (const NodeInfo* node : nodes_) own_ids_.push_back(node->id);
      ids_ = own_ids_;
    }
    return ids_;
  }

 private:
  std::span<const NodeInfo* const> nodes_;
  mutable std::span<const NodeId> ids_;
  mutable std::vector<NodeId> own_ids_;
};

// All of the cluster's, in its order. Good until it changes.
inline CandidateNodes AllNodes(const ClusterState& cluster) {
  return {cluster.Nodes(), cluster.NodeIds()};
}

// The candidates at some positions of others, with their ids.
class SelectedNodes {
 public:
  // Cost: O(positions).
  SelectedNodes(const CandidateNodes& nodes,
                std::span<const std::size_t> positions) {
    const std::span<const NodeId> ids = nodes.ids();
    nodes_.reserve(positions.size());
    ids_.reserve(positions.size());
    for (const std::size_t position : positions) {
      nodes_.push_back(nodes[position]);
      ids_.push_back(ids[position]);
    }
  }

  // Good as long as this.
  CandidateNodes candidates() const { return {nodes_, ids_}; }

 private:
  std::vector<const NodeInfo*> nodes_;
  std::vector<NodeId> ids_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_CANDIDATE_NODES_H_
