#include "core/index/label_table.h"

#include <utility>

#include "core/index/give_back_room.h"

namespace vicinal {

const LabelTable::Label* LabelTable::Find(const HashedLabel& label) const {
  const auto it = labels_.find(label);
  return it == labels_.end() ? nullptr : it->get();
}

LabelTable::Label* LabelTable::Add(const HashedLabel& label, PodGroup* group) {
  auto it = labels_.find(label);
  if (it == labels_.end()) {
    auto known = keys_.find(label.key);
    if (known == keys_.end()) known = keys_.emplace(label.key, 0).first;
    ++known->second;
    it = labels_
             .insert(std::make_unique<Label>(
                 Label{&known->first, std::string(label.value), {}}))
             .first;
  }
  (*it)->groups.push_back(group);
  return it->get();
}

PodGroup* LabelTable::Remove(Label* label, std::size_t position) {
  PodGroup* moved = nullptr;
  if (position + 1 < label->groups.size()) {
    moved = label->groups.back();
    label->groups[position] = moved;
  }
  label->groups.pop_back();
  if (label->groups.empty()) {
    const auto key = keys_.find(*label->key);
    labels_.erase(labels_.find(HashedLabel(*label->key, label->value)));
    GiveBackRoom(labels_);
    if (--key->second == 0) keys_.erase(key);
  }
  return moved;
}

}  // namespace vicinal
