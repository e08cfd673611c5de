// Reads a metav1.Time.
#ifndef VICINAL_CORE_MODEL_DECODE_TIME_H_
#define VICINAL_CORE_MODEL_DECODE_TIME_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "core/model/json.h"

namespace vicinal {

// In seconds since 1970; what is less than a second is dropped. Leaves `out` as
// it is for null. Error: `path: must be an RFC 3339 time, got "x"`.
// Thread-safe.
absl::Status DecodeTime(JsonValue value, const JsonPath& path,
                        std::optional<std::int64_t>* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_DECODE_TIME_H_
