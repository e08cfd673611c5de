// What a YAML scalar means, as kubectl sees it: the rules of YAML 1.1, in which
// `yes` is true and 010 is 8.
// Source: sigs.k8s.io/yaml and resolve.go of the YAML library that it uses.
#ifndef VICINAL_CORE_MODEL_YAML_SCALAR_H_
#define VICINAL_CORE_MODEL_YAML_SCALAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"

namespace vicinal {

// A string refers to the text it was resolved from.
using YamlScalar = std::variant<std::nullptr_t, bool, std::int64_t,
                                std::uint64_t, double, std::string_view>;

// Resolves a plain (unquoted) scalar. `tag` is empty or an explicit tag in its
// long form ("tag:yaml.org,2002:int"); with one of the standard types the text
// must be of that type, other tags make a string. Dates and times stay strings,
// and so do numbers outside a double's range. Quoted scalars without a tag are
// not to be resolved at all.
absl::StatusOr<YamlScalar> ResolveYamlScalar(std::string_view tag,
                                             std::string_view text);

// The scalar as JSON. Error: infinity and NaN, which JSON does not have.
absl::StatusOr<std::string> ToJson(const YamlScalar& scalar);

// The scalar as the key of a JSON object, not quoted. Error: null and numbers
// above 2^63 - 1.
absl::StatusOr<std::string> ToJsonKey(const YamlScalar& scalar);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_YAML_SCALAR_H_
