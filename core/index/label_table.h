// The labels of the pods in the cluster, each stored once, and which pod groups
// have it: an inverted index.
#ifndef VICINAL_CORE_INDEX_LABEL_TABLE_H_
#define VICINAL_CORE_INDEX_LABEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "core/index/group_set.h"
#include "core/index/hashed_label.h"

namespace vicinal {

class LabelTable {
 public:
  // A label that some group has.
  struct Label {
    const std::string* key;
    std::string value;
    absl::InlinedVector<GroupId, 4> groups;
    std::uint32_t position;  // Among the labels of the key.
  };

  LabelTable() = default;
  LabelTable(const LabelTable&) = delete;
  LabelTable& operator=(const LabelTable&) = delete;

  // Null if no group has the label. Cost of all: O(label).
  const Label* Find(const HashedLabel& label) const;

  // The labels with a key. Cost: O(log keys).
  std::span<const Label* const> WithKey(std::string_view key) const;

  // Puts a group at the end of the label's groups. The label stays where it is
  // until its last group goes.
  Label* Add(const HashedLabel& label, GroupId group);

  // Begins to load what Add of the label will look at.
  void Prefetch(const HashedLabel& label) const { labels_.prefetch(label); }

  // Removes the group at a position of the label's groups, and puts the last
  // one there; returns that, or nothing if there is none to move.
  std::optional<GroupId> Remove(Label* label, std::size_t position);

  bool empty() const { return labels_.empty() && keys_.empty(); }
  std::size_t size() const { return labels_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const HashedLabel& label) const {
      return label.hash;
    }
    std::size_t operator()(const std::unique_ptr<Label>& label) const {
      return HashedLabel(*label->key, label->value).hash;
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const std::unique_ptr<Label>& a,
                    const std::unique_ptr<Label>& b) const {
      return a == b;
    }
    bool operator()(const std::unique_ptr<Label>& a,
                    const HashedLabel& b) const {
      return a->value == b.value && *a->key == b.key;
    }
  };

  // Each key, and the labels that have it.
  std::map<std::string, absl::InlinedVector<Label*, 1>, std::less<>> keys_;
  absl::flat_hash_set<std::unique_ptr<Label>, Hash, Equal> labels_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_LABEL_TABLE_H_
