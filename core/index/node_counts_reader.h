// Reads counts of many nodes without looking each up in a hash map.
#ifndef VICINAL_CORE_INDEX_NODE_COUNTS_READER_H_
#define VICINAL_CORE_INDEX_NODE_COUNTS_READER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/index/node_counts.h"
#include "core/index/node_id.h"

namespace vicinal {

// One bit for each node that there is, and the counts of those that have any
// side by side: small enough to stay in the processor's first cache, however
// large the cluster. Good until the counts change.
class NodeCountsReader {
 public:
  NodeCountsReader() = default;  // None anywhere.
  // Cost: O(nodes there are / 64 + nodes with any); O(1) if they are kept in an
  // array.
  explicit NodeCountsReader(const NodeCounts& counts);

  // Cost: O(1).
  std::int32_t Get(NodeId node) const {
    if (!array_.empty()) return node < array_.size() ? array_[node] : 0;
    const std::size_t position = node / kBits;
    if (position >= words_.size()) return 0;
    const Word& word = words_[position];
    if ((word.nodes & BitOf(node)) == 0) return 0;
    return counts_[PositionIn(word, node)];
  }

 private:
  static constexpr NodeId kBits = 64;

  struct Word {
    std::uint64_t nodes = 0;  // A bit for each that has any.
    std::uint32_t first = 0;  // Where the counts of its nodes begin.
  };

  static std::uint64_t BitOf(NodeId node) {
    return std::uint64_t{1} << node % kBits;
  }
  // Of the node's count, if its bit is set.
  static std::size_t PositionIn(const Word& word, NodeId node) {
    return word.first + static_cast<std::size_t>(
                            std::popcount(word.nodes & (BitOf(node) - 1)));
  }

  std::span<const std::int32_t> array_;  // Not empty: instead of what follows.
  std::vector<Word> words_;
  std::vector<std::int32_t> counts_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NODE_COUNTS_READER_H_
