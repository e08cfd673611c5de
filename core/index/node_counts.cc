#include "core/index/node_counts.h"

#include <algorithm>

namespace vicinal {
namespace {

// An array needs 4 bytes for each node there is, a hash map about 14 for each
// that has any. Between the two bounds whatever is there stays.
constexpr std::size_t kDenseFrom = 32;
constexpr std::size_t kDenseShare = 4;
constexpr std::size_t kSparseShare = 16;

}  // namespace

NodeCounts NodeCounts::Copy() const {
  NodeCounts copy;
  copy.only_node_ = only_node_;
  copy.only_count_ = only_count_;
  if (many_) copy.many_ = std::make_unique<Many>(*many_);
  return copy;
}

void NodeCounts::Add(NodeId node, std::int32_t delta) {
  if (many_) {
    AddToMany(node, delta);
  } else if (only_count_ == 0 || only_node_ == node) {
    only_node_ = node;
    only_count_ += delta;
  } else {
    many_ = std::make_unique<Many>();
    AddToMany(only_node_, only_count_);
    AddToMany(node, delta);
    only_count_ = 0;
  }
}

void NodeCounts::AddToMany(NodeId node, std::int32_t delta) {
  Many& many = *many_;
  many.limit = std::max(many.limit, node + 1);
  if (many.dense.empty()) {
    const auto it = many.sparse.try_emplace(node, 0).first;
    it->second += delta;
    if (it->second == 0) many.sparse.erase(it);
    many.size = many.sparse.size();
    if (many.size < kDenseFrom || many.size * kDenseShare < many.limit) {
      if (many.size == 0) many_.reset();
      return;
    }
    many.dense.assign(many.limit, 0);
    for (const auto& [id, count] : many.sparse) many.dense[id] = count;
    many.sparse = {};
    return;
  }
  if (node >= many.dense.size()) many.dense.resize(many.limit, 0);
  std::int32_t& count = many.dense[node];
  many.size -= count != 0 ? 1 : 0;
  count += delta;
  many.size += count != 0 ? 1 : 0;
  if (many.size * kSparseShare >= many.limit && many.size >= kDenseFrom / 2) {
    return;
  }
  for (NodeId id = 0; id < many.dense.size(); ++id) {
    if (many.dense[id] != 0) many.sparse.emplace(id, many.dense[id]);
  }
  many.dense = {};
  if (many.size == 0) many_.reset();
}

}  // namespace vicinal
