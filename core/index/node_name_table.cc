#include "core/index/node_name_table.h"

#include <array>
#include <utility>

#include "core/index/name_hash.h"

namespace vicinal {
namespace {

std::uint32_t HashOf(std::string_view name) {
  return static_cast<std::uint32_t>(NameHash()(name));
}

}  // namespace

void NodeNameTable::Add(std::string_view name, NodeId id) {
  if (id >= names_.size()) names_.resize(id + 1);
  names_[id] = name;
  if (++size_ * 2 > slots_.size()) {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.id != kNoNode) Insert(slot);
    }
  }
  Insert({HashOf(name), id});
}

void NodeNameTable::Insert(Slot slot) {
  std::size_t at = Home(slot.hash);
  while (slots_[at].id != kNoNode) at = After(at);
  slots_[at] = slot;
}

void NodeNameTable::Remove(NodeId id) {
  const std::uint32_t hash = HashOf(names_[id]);
  std::size_t gap = Home(hash);
  while (slots_[gap].id != id) gap = After(gap);
  // What was pushed past the gap moves into it, so that no search ends there.
  for (std::size_t at = After(gap); slots_[at].id != kNoNode; at = After(at)) {
    const std::size_t pushed =
        (at - Home(slots_[at].hash)) & (slots_.size() - 1);
    if (pushed < ((at - gap) & (slots_.size() - 1))) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = Slot();
  names_[id] = {};
  --size_;
}

std::size_t NodeNameTable::Probe(std::size_t slot, std::uint32_t hash) const {
  while (slots_[slot].id != kNoNode && slots_[slot].hash != hash) {
    slot = After(slot);
  }
  return slot;
}

std::vector<NodeId> NodeNameTable::Find(
    std::span<const std::string_view> names) const {
  // How many names a step is ahead of the next one.
  constexpr std::size_t kAhead = 8;
  struct Search {
    std::uint32_t hash = 0;
    std::size_t slot = 0;
  };
  std::array<Search, 4 * kAhead> searches;
  const auto search_of = [&](std::size_t i) -> Search& {
    return searches[i % searches.size()];
  };
  std::vector<NodeId> found(names.size(), kNoNode);
  for (std::size_t step = 0; step < names.size() + 3 * kAhead; ++step) {
    if (const std::size_t i = step; i < names.size()) {
      Search& search = search_of(i);
      search.hash = HashOf(names[i]);
      search.slot = Home(search.hash);
      __builtin_prefetch(&slots_[search.slot]);
    }
    if (const std::size_t i = step - kAhead; i < names.size()) {
      Search& search = search_of(i);
      search.slot = Probe(search.slot, search.hash);
      const NodeId id = slots_[search.slot].id;
      if (id != kNoNode) __builtin_prefetch(&names_[id]);
    }
    if (const std::size_t i = step - 2 * kAhead; i < names.size()) {
      const NodeId id = slots_[search_of(i).slot].id;
      if (id != kNoNode) __builtin_prefetch(names_[id].data());
    }
    if (const std::size_t i = step - 3 * kAhead; i < names.size()) {
      const Search& search = search_of(i);
      std::size_t slot = search.slot;
      // Another name may have the same hash.
      while (slots_[slot].id != kNoNode &&
             names_[slots_[slot].id] != names[i]) {
        slot = Probe(After(slot), search.hash);
      }
      found[i] = slots_[slot].id;
    }
  }
  return found;
}

}  // namespace vicinal
