// The labels of the pods in the cluster, each stored once, and which pod groups
// have it: an inverted index.
#ifndef VICINAL_CORE_INDEX_LABEL_TABLE_H_
#define VICINAL_CORE_INDEX_LABEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "core/index/name_hash.h"

namespace vicinal {

class PodGroup;

class LabelTable {
 public:
  // A label that some group has.
  struct Label {
    const std::string* key;
    std::string value;
    absl::InlinedVector<PodGroup*, 1> groups;
  };

  LabelTable() = default;
  LabelTable(const LabelTable&) = delete;
  LabelTable& operator=(const LabelTable&) = delete;

  // Null if no group has the label. Cost of all: O(label).
  const Label* Find(std::string_view key, std::string_view value) const;

  // Puts a group at the end of the label's groups. The label stays where it is
  // until its last group goes.
  Label* Add(std::string_view key, std::string_view value, PodGroup* group);

  // Removes the group at a position of the label's groups, and puts the last
  // one there; returns that, or null if there is none to move.
  PodGroup* Remove(Label* label, std::size_t position);

  bool empty() const { return labels_.empty() && keys_.empty(); }
  std::size_t size() const { return labels_.size(); }

 private:
  struct View {
    std::string_view key;
    std::string_view value;

    friend bool operator==(const View&, const View&) = default;
    template <typename H>
    friend H AbslHashValue(H hash, const View& view) {
      return H::combine(std::move(hash), ToHashable(view.key),
                        ToHashable(view.value));
    }
  };
  static View ViewOf(const View& view) { return view; }
  static View ViewOf(const std::unique_ptr<Label>& label) {
    return {*label->key, label->value};
  }
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const auto& label) const {
      return absl::Hash<View>()(ViewOf(label));
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      return ViewOf(a) == ViewOf(b);
    }
  };

  // Each key, and how many labels have it.
  std::map<std::string, std::size_t, std::less<>> keys_;
  absl::flat_hash_set<std::unique_ptr<Label>, Hash, Equal> labels_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_LABEL_TABLE_H_
