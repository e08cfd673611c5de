#include "core/index/label_table.h"

#include <utility>

namespace vicinal {

const LabelTable::Label* LabelTable::Find(std::string_view key,
                                          std::string_view value) const {
  const auto it = labels_.find(View{key, value});
  return it == labels_.end() ? nullptr : it->get();
}

LabelTable::Label* LabelTable::Add(std::string_view key, std::string_view value,
                                   PodGroup* group) {
  auto it = labels_.find(View{key, value});
  if (it == labels_.end()) {
    auto known = keys_.find(key);
    if (known == keys_.end()) known = keys_.emplace(key, 0).first;
    ++known->second;
    it = labels_
             .insert(std::make_unique<Label>(
                 Label{&known->first, std::string(value), {}}))
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
    labels_.erase(View{*label->key, label->value});
    if (--key->second == 0) keys_.erase(key);
  }
  return moved;
}

}  // namespace vicinal
