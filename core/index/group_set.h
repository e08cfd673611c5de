// Sets of pod groups by their numbers, for the selectors that match many.
#ifndef VICINAL_CORE_INDEX_GROUP_SET_H_
#define VICINAL_CORE_INDEX_GROUP_SET_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vicinal {

// The number of a pod group: small, and used again when the group has gone.
using GroupId = std::uint32_t;

// One bit for each number. Costs in what follows are in words of 64 numbers up
// to the largest.
class GroupSet {
 public:
  // Cost of all three: O(1), amortized.
  void Insert(GroupId id) {
    const std::size_t word = id / kBits;
    if (word >= words_.size()) words_.resize(word + 1, 0);
    words_[word] |= BitOf(id);
  }
  void Erase(GroupId id) {
    if (id / kBits < words_.size()) words_[id / kBits] &= ~BitOf(id);
  }
  bool Has(GroupId id) const {
    return id / kBits < words_.size() && (words_[id / kBits] & BitOf(id)) != 0;
  }

  // Cost of these: O(words).
  bool empty() const {
    return std::all_of(words_.begin(), words_.end(),
                       [](std::uint64_t word) { return word == 0; });
  }
  std::size_t size() const { return CountDifferences(GroupSet()); }
  void IntersectWith(const GroupSet& other) {
    words_.resize(std::min(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < words_.size(); ++i)
      words_[i] &= other.words_[i];
  }

  // How many are in one of the sets only.
  std::size_t CountDifferences(const GroupSet& other) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < std::max(words_.size(), other.words_.size());
         ++i) {
      count +=
          static_cast<std::size_t>(std::popcount(WordAt(i) ^ other.WordAt(i)));
    }
    return count;
  }

  // Calls `visit(GroupId)` for each that is in one of the sets only.
  // Cost: O(words + visits).
  template <typename Visit>
  void ForEachDifference(const GroupSet& other, Visit&& visit) const {
    for (std::size_t i = 0; i < std::max(words_.size(), other.words_.size());
         ++i) {
      for (std::uint64_t word = WordAt(i) ^ other.WordAt(i); word != 0;
           word &= word - 1) {
        visit(static_cast<GroupId>(i * kBits) +
              static_cast<GroupId>(std::countr_zero(word)));
      }
    }
  }

  // Calls `visit(GroupId)` for each. Cost: O(words + visits).
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    ForEachDifference(GroupSet(), visit);
  }

  // Sets one bit of the number at each member's position; makes room for it.
  void SetBitAtEach(std::size_t bit,
                    std::vector<std::uint64_t>& numbers) const {
    if (numbers.size() < words_.size() * kBits) {
      numbers.resize(words_.size() * kBits, 0);
    }
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const std::uint64_t word = words_[w];
      if (word == 0) continue;
      std::uint64_t* const at = &numbers[w * kBits];
      for (GroupId i = 0; i < kBits; ++i) at[i] |= (word >> i & 1) << bit;
    }
  }

 private:
  static constexpr GroupId kBits = 64;

  static std::uint64_t BitOf(GroupId id) {
    return std::uint64_t{1} << id % kBits;
  }
  std::uint64_t WordAt(std::size_t i) const {
    return i < words_.size() ? words_[i] : 0;
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_GROUP_SET_H_
