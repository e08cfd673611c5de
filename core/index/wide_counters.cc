#include "core/index/wide_counters.h"

#include <algorithm>

namespace vicinal {

WideCounters::Place WideCounters::Add(PodCounter* counter,
                                      const GroupSet& members) {
  const auto free = std::find_if(blocks_.begin(), blocks_.end(),
                                 [](const std::unique_ptr<Block>& block) {
                                   return block == nullptr || ~block->used != 0;
                                 });
  const auto position = static_cast<std::size_t>(free - blocks_.begin());
  if (free == blocks_.end()) blocks_.emplace_back();
  if (blocks_[position] == nullptr) {
    blocks_[position] = std::make_unique<Block>();
  }
  Block& block = *blocks_[position];
  const auto bit = static_cast<std::size_t>(std::countr_one(block.used));
  block.used |= std::uint64_t{1} << bit;
  block.counters[bit] = counter;
  members.SetBitAtEach(bit, block.counted_by);
  return static_cast<Place>(position * kBits + bit);
}

void WideCounters::Remove(Place place) {
  Block& block = *blocks_[place / kBits];
  const std::uint64_t bit = std::uint64_t{1} << place % kBits;
  block.used &= ~bit;
  if (block.used != 0) {
    for (std::uint64_t& counters : block.counted_by) counters &= ~bit;
    return;
  }
  blocks_[place / kBits] = nullptr;
  while (!blocks_.empty() && blocks_.back() == nullptr) blocks_.pop_back();
}

void WideCounters::Insert(Place place, GroupId group) {
  std::vector<std::uint64_t>& counted_by = blocks_[place / kBits]->counted_by;
  if (group >= counted_by.size()) counted_by.resize(group + 1, 0);
  counted_by[group] |= std::uint64_t{1} << place % kBits;
}

void WideCounters::Forget(GroupId group) {
  for (const std::unique_ptr<Block>& block : blocks_) {
    if (block == nullptr || group >= block->counted_by.size()) continue;
    block->counted_by[group] = 0;
  }
}

}  // namespace vicinal
