#include "core/index/label_table.h"

#include <utility>

#include "core/index/give_back_room.h"

namespace vicinal {

const LabelTable::Label* LabelTable::Find(const HashedLabel& label) const {
  const auto it = labels_.find(label);
  return it == labels_.end() ? nullptr : it->get();
}

std::span<const LabelTable::Label* const> LabelTable::WithKey(
    std::string_view key) const {
  const auto it = keys_.find(key);
  if (it == keys_.end()) return {};
  return it->second;
}

LabelTable::Label* LabelTable::Add(const HashedLabel& label, GroupId group) {
  auto it = labels_.find(label);
  if (it == labels_.end()) {
    auto known = keys_.find(label.key);
    if (known == keys_.end()) {
      known = keys_.try_emplace(std::string(label.key)).first;
    }
    auto created = std::make_unique<Label>(
        Label{&known->first,
              std::string(label.value),
              {},
              static_cast<std::uint32_t>(known->second.size())});
    known->second.push_back(created.get());
    it = labels_.insert(std::move(created)).first;
  }
  (*it)->groups.push_back(group);
  return it->get();
}

std::optional<GroupId> LabelTable::Remove(Label* label, std::size_t position) {
  std::optional<GroupId> moved;
  if (position + 1 < label->groups.size()) {
    moved = label->groups.back();
    label->groups[position] = *moved;
  }
  label->groups.pop_back();
  if (label->groups.empty()) {
    const auto key = keys_.find(*label->key);
    auto& same_key = key->second;
    same_key.back()->position = label->position;
    same_key[label->position] = same_key.back();
    same_key.pop_back();
    labels_.erase(labels_.find(HashedLabel(*label->key, label->value)));
    GiveBackRoom(labels_);
    if (same_key.empty()) keys_.erase(key);
  }
  return moved;
}

}  // namespace vicinal
