#include "core/model/labels.h"

#include <algorithm>

namespace vicinal {
namespace {

bool KeyIsLess(const Labels::Entry& entry, std::string_view key) {
  return entry.first < key;
}

}  // namespace

Labels::Labels(std::initializer_list<Entry> entries)
    : Labels(std::vector<Entry>(entries)) {}

Labels::Labels(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::stable_sort(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.first < b.first; });
  // Keep the last of each run of equal keys.
  auto last = std::unique(
      entries_.rbegin(), entries_.rend(),
      [](const Entry& a, const Entry& b) { return a.first == b.first; });
  entries_.erase(entries_.begin(), last.base());
}

const std::string* Labels::Find(std::string_view key) const {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), key, KeyIsLess);
  return it != entries_.end() && it->first == key ? &it->second : nullptr;
}

void Labels::Set(std::string_view key, std::string_view value) {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), key, KeyIsLess);
  if (it != entries_.end() && it->first == key) {
    it->second = value;
  } else {
    entries_.emplace(it, key, value);
  }
}

}  // namespace vicinal
