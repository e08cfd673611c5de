// Labels of an object: a map from label key to value, as a sorted vector.
#ifndef VICINAL_CORE_MODEL_LABELS_H_
#define VICINAL_CORE_MODEL_LABELS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vicinal {

class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;
  using value_type = Entry;
  using const_iterator = std::vector<Entry>::const_iterator;

  Labels() = default;
  // Of several entries with one key the last one counts, as in JSON objects
  // read by Go.
  Labels(std::initializer_list<Entry> entries);
  explicit Labels(std::vector<Entry> entries);

  // The value of `key`, or null if the object has no such label. Note that a
  // label may be present with the value "". Cost: O(log size).
  const std::string* Find(std::string_view key) const;
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  // Adds a label, or replaces its value. Cost: O(size).
  void Set(std::string_view key, std::string_view value);

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  // In ascending order of keys.
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }

  friend bool operator==(const Labels&, const Labels&) = default;
  friend auto operator<=>(const Labels&, const Labels&) = default;

 private:
  std::vector<Entry> entries_;  // Sorted by key, keys are unique.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_LABELS_H_
