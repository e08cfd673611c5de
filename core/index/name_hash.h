// Hashes of names. absl has none of its own for std::string_view in Debian's
// packages and falls back to std::hash, which takes several times as long.
#ifndef VICINAL_CORE_INDEX_NAME_HASH_H_
#define VICINAL_CORE_INDEX_NAME_HASH_H_

#include <cstddef>
#include <string_view>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace vicinal {

// The same text as something that absl can hash.
inline absl::string_view ToHashable(std::string_view text) {
  return {text.data(), text.size()};
}

// For tables by std::string_view. Thread-safe. Cost: O(name).
struct NameHash {
  std::size_t operator()(std::string_view name) const {
    return absl::Hash<absl::string_view>()(ToHashable(name));
  }
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NAME_HASH_H_
