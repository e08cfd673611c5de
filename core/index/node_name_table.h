// Finds many nodes by name at a time.
//
// A question names thousands of nodes, and looking up one is mostly waiting for
// memory: its slot, then the text of its name. So the look-ups are taken step
// by step, a few names ahead of each other, and what the next step reads is
// fetched meanwhile. The slots are small enough to stay in the processor's
// cache.
//
// Reading is thread-safe; changes must not overlap with anything else.
#ifndef VICINAL_CORE_INDEX_NODE_NAME_TABLE_H_
#define VICINAL_CORE_INDEX_NODE_NAME_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/index/node_id.h"

namespace vicinal {

class NodeNameTable {
 public:
  // Neither the name nor the id may be in yet. The text must stay where it is
  // until it is removed. Cost: O(name), amortized.
  void Add(std::string_view name, NodeId id);
  // Cost: O(name).
  void Remove(NodeId id);

  // The ids of names, in order; kNoNode for one that is not in.
  // Cost: O(the names' lengths).
  std::vector<NodeId> Find(std::span<const std::string_view> names) const;

 private:
  // An open-addressed table with linear probing. At most half of the slots are
  // taken; a name's slot is at or after the one that its hash says, with no
  // free one between.
  struct Slot {
    std::uint32_t hash = 0;
    NodeId id = kNoNode;  // kNoNode: free
  };

  std::size_t Home(std::uint32_t hash) const {
    return hash & (slots_.size() - 1);
  }
  std::size_t After(std::size_t slot) const {
    return (slot + 1) & (slots_.size() - 1);
  }
  void Insert(Slot slot);
  // The slot with the hash at or after `slot`, or the free one that ends the
  // search.
  std::size_t Probe(std::size_t slot, std::uint32_t hash) const;

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // A power of two.
  std::vector<std::string_view> names_;              // By id.
  std::size_t size_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NODE_NAME_TABLE_H_
