// Which pod groups are counted by the counters that count many: one bit for
// each pair, where a list for each group would take a word.
#ifndef VICINAL_CORE_INDEX_WIDE_COUNTERS_H_
#define VICINAL_CORE_INDEX_WIDE_COUNTERS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/index/group_set.h"

namespace vicinal {

struct PodCounter;

// Never looks into a counter.
class WideCounters {
 public:
  // Where a counter is, until it is removed.
  using Place = std::uint32_t;

  // A counter of these groups appears, or goes. Cost: O(groups there are), of
  // very little for each; and O(counters / 64).
  Place Add(PodCounter* counter, const GroupSet& members);
  void Remove(Place place);

  // A group appears that the counter counts. Cost: O(1), amortized.
  void Insert(Place place, GroupId group);
  // A group goes. Cost: O(counters / 64).
  void Forget(GroupId group);

  // Calls `visit(PodCounter*)` for each counter that counts the group.
  // Cost: O(counters / 64 + visits).
  template <typename Visit>
  void ForEach(GroupId group, Visit&& visit) const {
    for (const std::unique_ptr<Block>& block : blocks_) {
      if (block == nullptr || group >= block->counted_by.size()) continue;
      for (std::uint64_t bits = block->counted_by[group]; bits != 0;
           bits &= bits - 1) {
        visit(
            block->counters[static_cast<std::size_t>(std::countr_zero(bits))]);
      }
    }
  }

  bool empty() const { return blocks_.empty(); }

 private:
  static constexpr std::size_t kBits = 64;

  struct Block {
    std::uint64_t used = 0;  // A bit for each counter.
    std::array<PodCounter*, kBits> counters = {};
    std::vector<std::uint64_t> counted_by;  // By group, a bit for each counter.
  };

  std::vector<std::unique_ptr<Block>> blocks_;  // Null: no counters.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_WIDE_COUNTERS_H_
