// Reads the documents of a manifest into a tree.
#ifndef VICINAL_CORE_MODEL_PARSE_DOCUMENTS_H_
#define VICINAL_CORE_MODEL_PARSE_DOCUMENTS_H_

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vicinal {

// The text is JSON if its first character is '{', otherwise YAML with any
// number of documents. Errors: text that is neither, duplicate keys, more than
// 256 levels, an integer of more than 64 bits. Cost: O(text).
absl::StatusOr<std::vector<nlohmann::json>> ParseDocuments(
    std::string_view text);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_PARSE_DOCUMENTS_H_
