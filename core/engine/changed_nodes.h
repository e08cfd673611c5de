// Which nodes have changed since when.
#ifndef VICINAL_CORE_ENGINE_CHANGED_NODES_H_
#define VICINAL_CORE_ENGINE_CHANGED_NODES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index/node_id.h"

namespace vicinal {

// The latest changes of NodeInfos, in their order: of the node's object, or of
// the pods on it. Not thread-safe. Memory: O(kKept).
class ChangedNodes {
 public:
  // About as many as it pays to look at one by one.
  static constexpr std::size_t kKept = 8192;

  // To be called after each change of the node, also after it has appeared.
  // Cost: O(1).
  void Add(NodeId id) {
    if (latest_.size() < kKept) {
      latest_.push_back(id);
    } else {
      latest_[count_ % kKept] = id;
    }
    ++count_;
  }

  // How many changes there were.
  std::uint64_t count() const { return count_; }

  // Calls `visit(NodeId)` for each change but the first `seen`, or says false
  // if some of these are forgotten. Nodes may occur several times, and may be
  // gone.
  template <typename Visit>
  bool ForEachSince(std::uint64_t seen, Visit&& visit) const {
    if (count_ - seen > kKept) return false;
    for (; seen < count_; ++seen) visit(latest_[seen % kKept]);
    return true;
  }

 private:
  std::uint64_t count_ = 0;
  std::vector<NodeId> latest_;  // Change i is at i % kKept.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_CHANGED_NODES_H_
