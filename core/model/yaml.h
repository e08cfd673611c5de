// Turns YAML into JSON, so that one decoder serves for both.
#ifndef VICINAL_CORE_MODEL_YAML_H_
#define VICINAL_CORE_MODEL_YAML_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vicinal {

// The documents of a YAML stream as JSON texts, without the empty ones. What
// the scalars mean is what kubectl makes of them (see yaml_scalar.h).
//
// Aliases are replaced by what they stand for, and merge keys (`<<`) by the
// merged fields, of which a mapping's own fields win. Errors, which name line
// and column: text that is not YAML or not UTF-8, a key that is there twice, a
// key that is a list or a mapping, more than 256 levels, more than 64 MiB of
// text behind anchors and aliases.
//
// Cost: O(text + expanded aliases), some 100 ns a byte.
absl::StatusOr<std::vector<std::string>> YamlToJson(std::string_view text);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_YAML_H_
