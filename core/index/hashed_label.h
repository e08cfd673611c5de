// A label with its hash, which is computed once for all the tables that the
// label is looked up in.
#ifndef VICINAL_CORE_INDEX_HASHED_LABEL_H_
#define VICINAL_CORE_INDEX_HASHED_LABEL_H_

#include <cstddef>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "core/index/name_hash.h"
#include "core/model/labels.h"

namespace vicinal {

// What `key` and `value` refer to must outlive it.
struct HashedLabel {
  std::string_view key;
  std::string_view value;
  std::size_t hash;

  // Cost: O(label).
  HashedLabel(std::string_view key, std::string_view value)
      : key(key),
        value(value),
        hash(absl::HashOf(ToHashable(key), ToHashable(value))) {}
};

using HashedLabels = absl::InlinedVector<HashedLabel, 8>;

// In the same order. Cost: O(labels).
inline HashedLabels HashEach(const Labels& labels) {
  HashedLabels hashed;
  hashed.reserve(labels.size());
  for (const auto& [key, value] : labels) hashed.emplace_back(key, value);
  return hashed;
}

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_HASHED_LABEL_H_
