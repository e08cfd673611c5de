// Finds the selectors that may match given labels without trying them all: an
// inverted index from labels to selectors.
#ifndef VICINAL_CORE_INDEX_SELECTOR_LOOKUP_H_
#define VICINAL_CORE_INDEX_SELECTOR_LOOKUP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/index/hashed_label.h"
#include "core/index/owner_set.h"
#include "core/model/labels.h"
#include "core/model/selector.h"

namespace vicinal {

// The requirement by which a selector is found: an In with the fewest values.
// Null if there is none; then it may match any labels.
inline const Requirement* AnchorOf(const Selector& selector) {
  const Requirement* anchor = nullptr;
  for (const Requirement& requirement : selector.requirements()) {
    if (requirement.op() != Requirement::Operator::kIn) continue;
    if (anchor == nullptr ||
        requirement.values().size() < anchor->values().size()) {
      anchor = &requirement;
    }
  }
  return anchor;
}

// `Owner` stands for the selector; a pointer.
template <typename Owner>
class SelectorLookup {
 public:
  // Cost of both: O(values of the anchor).
  void Add(Owner owner, const Selector& selector) {
    if (selector.IsNothing()) return;
    const Requirement* anchor = AnchorOf(selector);
    if (anchor == nullptr) {
      unanchored_.Insert(owner);
      return;
    }
    for (const std::string& value : anchor->values()) {
      postings_[{anchor->key(), value}].Insert(owner);
    }
  }

  void Remove(Owner owner, const Selector& selector) {
    if (selector.IsNothing()) return;
    const Requirement* anchor = AnchorOf(selector);
    if (anchor == nullptr) {
      unanchored_.Erase(owner);
      return;
    }
    for (const std::string& value : anchor->values()) {
      const auto it = postings_.find(HashedLabel(anchor->key(), value));
      if (it == postings_.end()) continue;  // The value is there twice.
      it->second.Erase(owner);
      if (it->second.empty()) postings_.erase(it);
    }
  }

  // Calls `visit(owner)` once for each owner whose selector may match; those
  // that are not visited do not. Cost: O(labels + candidates).
  template <typename Visit>
  void ForEachCandidate(const HashedLabels& labels, Visit&& visit) const {
    for (const HashedLabel& label : labels) {
      const auto it = postings_.find(label);
      if (it == postings_.end()) continue;
      for (const Owner owner : it->second) visit(owner);
    }
    for (const Owner owner : unanchored_) visit(owner);
  }
  template <typename Visit>
  void ForEachCandidate(const Labels& labels, Visit&& visit) const {
    ForEachCandidate(HashEach(labels), visit);
  }

  bool empty() const { return postings_.empty() && unanchored_.empty(); }

 private:
  using Posting = std::pair<std::string, std::string>;  // Key and value.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const HashedLabel& label) const {
      return label.hash;
    }
    std::size_t operator()(const Posting& posting) const {
      return HashedLabel(posting.first, posting.second).hash;
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Posting& a, const auto& b) const {
      const auto& [key, value] = ViewOf(b);
      return a.second == value && a.first == key;
    }
    static const Posting& ViewOf(const Posting& posting) { return posting; }
    static std::pair<std::string_view, std::string_view> ViewOf(
        const HashedLabel& label) {
      return {label.key, label.value};
    }
  };

  absl::flat_hash_map<Posting, OwnerSet<Owner>, Hash, Equal> postings_;
  OwnerSet<Owner> unanchored_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_SELECTOR_LOOKUP_H_
