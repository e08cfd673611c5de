// Finds the selectors that may match given labels without trying them all: an
// inverted index from labels to selectors.
#ifndef VICINAL_CORE_INDEX_SELECTOR_LOOKUP_H_
#define VICINAL_CORE_INDEX_SELECTOR_LOOKUP_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/model/labels.h"
#include "core/model/selector.h"

namespace vicinal {

// The (key, value) of a label as one string: keys have no NUL.
inline std::string LabelPosting(std::string_view key, std::string_view value) {
  std::string posting;
  posting.reserve(key.size() + 1 + value.size());
  posting.append(key).append(1, '\0').append(value);
  return posting;
}

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
      unanchored_.insert(owner);
      return;
    }
    for (const std::string& value : anchor->values()) {
      postings_[LabelPosting(anchor->key(), value)].insert(owner);
    }
  }

  void Remove(Owner owner, const Selector& selector) {
    if (selector.IsNothing()) return;
    const Requirement* anchor = AnchorOf(selector);
    if (anchor == nullptr) {
      unanchored_.erase(owner);
      return;
    }
    for (const std::string& value : anchor->values()) {
      const auto it = postings_.find(LabelPosting(anchor->key(), value));
      if (it == postings_.end()) continue;  // The value is there twice.
      it->second.erase(owner);
      if (it->second.empty()) postings_.erase(it);
    }
  }

  // Calls `visit(owner)` once for each owner whose selector may match; those
  // that are not visited do not. Cost: O(labels + candidates).
  template <typename Visit>
  void ForEachCandidate(const Labels& labels, Visit&& visit) const {
    for (const auto& [key, value] : labels) {
      const auto it = postings_.find(LabelPosting(key, value));
      if (it == postings_.end()) continue;
      for (const Owner owner : it->second) visit(owner);
    }
    for (const Owner owner : unanchored_) visit(owner);
  }

  bool empty() const { return postings_.empty() && unanchored_.empty(); }

 private:
  absl::flat_hash_map<std::string, absl::flat_hash_set<Owner>> postings_;
  absl::flat_hash_set<Owner> unanchored_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_SELECTOR_LOOKUP_H_
