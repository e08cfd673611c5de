// Tables that were large once.
#ifndef VICINAL_CORE_INDEX_GIVE_BACK_ROOM_H_
#define VICINAL_CORE_INDEX_GIVE_BACK_ROOM_H_

#include <cstddef>

namespace vicinal {

// For an absl table, after entries have gone: gives back most of its room if
// hardly an eighth is in use. Iterators end. Cost: O(1) on average over the
// entries that have gone.
template <typename Table>
void GiveBackRoom(Table& table) {
  constexpr std::size_t kSmall = 1024;  // Not worth it.
  if (table.capacity() > kSmall && table.size() < table.capacity() / 8) {
    table.rehash(0);
  }
}

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_GIVE_BACK_ROOM_H_
