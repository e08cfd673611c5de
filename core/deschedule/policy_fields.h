// Reads fields that occur in several places of a policy. All leave `out` as it
// is if the field is null; errors name the field and the value. Thread-safe.
// Cost: O(the field).
#ifndef VICINAL_CORE_DESCHEDULE_POLICY_FIELDS_H_
#define VICINAL_CORE_DESCHEDULE_POLICY_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "core/model/json.h"
#include "core/model/selector.h"

namespace vicinal {

// The error of something that the descheduler has and vicinal has not:
// Unimplemented.
absl::Status Unsupported(const JsonPath& path, std::string_view what);

// A number that is not negative.
absl::Status ReadCount(JsonValue value, const JsonPath& path,
                       std::optional<std::int64_t>* out);

// A metav1.LabelSelector.
absl::Status ReadLabelSelector(JsonValue value, const JsonPath& path,
                               std::optional<Selector>* out);

// A selector as kubectl's -l has it: "app=web,tier!=db".
absl::Status ReadSelectorText(JsonValue value, const JsonPath& path,
                              std::optional<Selector>* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_POLICY_FIELDS_H_
