#include "core/index/pod_group.h"

#include <vector>

#include "absl/hash/hash.h"
#include "core/index/name_hash.h"

namespace vicinal {

std::size_t PodGroupKey::Hash(const HashedLabels& hashed) const {
  std::size_t hash = absl::HashOf(ToHashable(namespace_name), terminating);
  for (const HashedLabel& label : hashed) {
    hash = absl::HashOf(hash, label.hash);
  }
  for (const CarriedTerm* term : terms) hash = absl::HashOf(hash, term);
  return hash;
}

Labels PodGroup::labels() const {
  std::vector<Labels::Entry> entries;
  entries.reserve(label_count_);
  for (const Posting& posting : postings()) {
    entries.emplace_back(*posting.label->key, posting.label->value);
  }
  return Labels(std::move(entries));
}

bool PodGroup::Is(const PodGroupKey& key) const {
  return terminating_ == key.terminating &&
         namespace_name() == key.namespace_name &&
         std::equal(terms_.begin(), terms_.end(), key.terms.begin(),
                    key.terms.end()) &&
         std::equal(postings().begin(), postings().end(), key.labels.begin(),
                    key.labels.end(),
                    [](const Posting& posting, const Labels::Entry& entry) {
                      return *posting.label->key == entry.first &&
                             posting.label->value == entry.second;
                    });
}

}  // namespace vicinal
