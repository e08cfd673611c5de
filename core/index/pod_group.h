// Pods that are the same to the index: namespace, labels, affinity terms, and
// whether they are terminating.
#ifndef VICINAL_CORE_INDEX_POD_GROUP_H_
#define VICINAL_CORE_INDEX_POD_GROUP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/index/group_set.h"
#include "core/index/hashed_label.h"
#include "core/index/label_table.h"
#include "core/index/node_counts.h"
#include "core/model/labels.h"

namespace vicinal {

struct CarriedTerm;
struct PodCounter;

// What tells two groups apart. Of two equal ones the terms are the same
// objects, in the same order.
struct PodGroupKey {
  std::string_view namespace_name;
  const Labels& labels;
  std::span<CarriedTerm* const> terms;
  bool terminating;

  // `hashed` are the labels.
  std::size_t Hash(const HashedLabels& hashed) const;
};

// Small, because each pod of a StatefulSet is one of its own. Changed by
// TopologyIndex only.
class PodGroup {
 public:
  const std::string& namespace_name() const { return namespace_.label->value; }
  bool terminating() const { return terminating_; }
  std::size_t pods() const { return pods_; }

  // Null if the group has no such label. Cost: O(labels).
  const std::string* FindLabel(std::string_view key) const {
    for (const Posting& posting : postings()) {
      if (*posting.label->key == key) return &posting.label->value;
    }
    return nullptr;
  }
  // Cost: O(labels).
  Labels labels() const;

  bool Is(const PodGroupKey& key) const;
  std::size_t hash() const { return hash_; }  // Of its key.

 private:
  friend class TopologyIndex;

  // That the group has a label, and where it is among the label's groups.
  struct Posting {
    LabelTable::Label* label = nullptr;
    std::uint32_t position = 0;
  };

  std::span<Posting> postings() { return {postings_.get(), label_count_}; }
  std::span<const Posting> postings() const {
    return {postings_.get(), label_count_};
  }

  std::size_t hash_ = 0;
  Posting namespace_;                    // In the table of namespaces.
  std::unique_ptr<Posting[]> postings_;  // By ascending key.
  std::uint32_t label_count_ = 0;
  GroupId id_ = 0;
  std::uint32_t pods_ = 0;  // Also those that are on no node.
  bool terminating_ = false;
  NodeCounts nodes_;
  absl::InlinedVector<CarriedTerm*, 1> terms_;  // One may be there twice.
  // That count it, without the wide ones. Also changed by questions; see
  // TopologyIndex.
  absl::InlinedVector<PodCounter*, 1> counters_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_POD_GROUP_H_
