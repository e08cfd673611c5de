// The scheduler plugin's numbers of nodes, and the index's.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_NODE_NUMBERS_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_NODE_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index/node_id.h"

namespace vicinal {

// Not thread-safe. Costs are O(1), and memory O(the largest number).
class NodeNumbers {
 public:
  // Numbers are dense, so one that is larger is a mistake.
  static constexpr std::uint32_t kLimit = 1'000'000;

  // Neither may have the other's like. `number` must be below kLimit.
  void Add(std::uint32_t number, NodeId id) {
    if (number >= ids_.size()) ids_.resize(number + 1, kNoNode);
    if (id >= numbers_.size()) numbers_.resize(id + 1, 0);
    ids_[number] = id;
    numbers_[id] = number;
  }
  void Remove(std::uint32_t number) { ids_[number] = kNoNode; }

  // kNoNode for a number that no node has.
  NodeId IdOf(std::uint32_t number) const {
    return number < ids_.size() ? ids_[number] : kNoNode;
  }
  // Of a node that has one.
  std::uint32_t Of(NodeId id) const { return numbers_[id]; }

  // All numbers are below.
  std::size_t limit() const { return ids_.size(); }

 private:
  std::vector<NodeId> ids_;             // By number.
  std::vector<std::uint32_t> numbers_;  // By id; of those that have none: any.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_NODE_NUMBERS_H_
