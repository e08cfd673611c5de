#include "core/index/node_counts_reader.h"

namespace vicinal {

NodeCountsReader::NodeCountsReader(const NodeCounts& counts)
    : array_(counts.array()) {
  if (!array_.empty()) return;
  words_.resize((counts.id_limit() + kBits - 1) / kBits);
  counts.ForEach([this](NodeId node, std::int32_t) {
    words_[node / kBits].nodes |= BitOf(node);
  });
  std::uint32_t first = 0;
  for (Word& word : words_) {
    word.first = first;
    first += static_cast<std::uint32_t>(std::popcount(word.nodes));
  }
  counts_.resize(first);
  counts.ForEach([this](NodeId node, std::int32_t count) {
    counts_[PositionIn(words_[node / kBits], node)] = count;
  });
}

}  // namespace vicinal
