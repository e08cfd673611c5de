// A set of pointers that is walked in the order in which they came, so that
// what was made one after the other is also read one after the other.
#ifndef VICINAL_CORE_INDEX_OWNER_SET_H_
#define VICINAL_CORE_INDEX_OWNER_SET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/index/give_back_room.h"

namespace vicinal {

// In place for one, a list for few, with their positions for many.
template <typename Owner>
class OwnerSet {
 public:
  // Nothing happens if it is there, or is not. The last one takes the place of
  // one that goes. Cost of both: O(1), amortized.
  void Insert(Owner owner) {
    if (Find(owner) != owners_.size()) return;
    if (positions_ != nullptr) {
      positions_->emplace(owner, Position(owners_.size()));
    }
    owners_.push_back(owner);
    if (positions_ != nullptr || owners_.size() <= kFew) return;
    positions_ = std::make_unique<Positions>();
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      positions_->emplace(owners_[i], Position(i));
    }
  }
  void Erase(Owner owner) {
    const std::size_t position = Find(owner);
    if (position == owners_.size()) return;
    const Owner last = owners_.back();
    owners_[position] = last;
    owners_.pop_back();
    if (positions_ == nullptr) return;
    (*positions_)[last] = Position(position);
    positions_->erase(owner);
    GiveBackRoom(*positions_);
    if (owners_.size() > kFew / 2) return;
    positions_ = nullptr;
    owners_.shrink_to_fit();
  }

  // Cost: O(1).
  bool empty() const { return owners_.empty(); }

  // Change ends iterators.
  auto begin() const { return owners_.begin(); }
  auto end() const { return owners_.end(); }

 private:
  using Positions = absl::flat_hash_map<Owner, std::uint32_t>;

  static constexpr std::size_t kFew = 16;

  static std::uint32_t Position(std::size_t position) {
    return static_cast<std::uint32_t>(position);
  }
  // owners_.size() if it is not there.
  std::size_t Find(Owner owner) const {
    if (positions_ != nullptr) {
      const auto it = positions_->find(owner);
      return it == positions_->end() ? owners_.size() : it->second;
    }
    return static_cast<std::size_t>(
        std::find(owners_.begin(), owners_.end(), owner) - owners_.begin());
  }

  absl::InlinedVector<Owner, 1> owners_;
  std::unique_ptr<Positions> positions_;  // Null: few.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_OWNER_SET_H_
