// Reads Kubernetes objects from protobuf, in the form that the API server
// sends: what comes out is what decode.h makes of the same object's JSON, and
// errors have the same form.
#ifndef VICINAL_CORE_MODEL_DECODE_PROTOBUF_H_
#define VICINAL_CORE_MODEL_DECODE_PROTOBUF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/json_path.h"
#include "core/model/object.h"
#include "core/model/wire_reader.h"

namespace vicinal {

// Reads a message such as k8s.io.api.core.v1.Pod; `Kind` is one of the
// alternatives of Object. Fields that vicinal does not know are skipped, not
// looked into. InvalidArgument: the bytes are no such message, or a field has
// no meaning. Cost: O(fields that are known and those beside them).
template <typename Kind>
absl::StatusOr<Kind> DecodeProtobuf(std::string_view message);

// Calls `on_field(const WireField&) -> absl::Status` for each field of the
// message that `value` is; stops at the first error.
template <typename OnField>
absl::Status ForEachWireField(const WireField& value, const JsonPath& path,
                              OnField&& on_field) {
  if (value.type != WireType::kBytes) {
    return FieldError(path, "must be a message, got a number");
  }
  WireReader reader(value.bytes);
  WireField field;
  while (reader.Next(field)) {
    if (absl::Status status = on_field(field); !status.ok()) return status;
  }
  if (reader.ok()) return absl::OkStatus();
  return FieldError(path, "invalid protobuf: cut off, or no message");
}

// The seconds since 1970 of a metav1.Time; absent for the zero time, which has
// no fields. A time that JSON could not tell is an error.
absl::Status Decode(const WireField& value, const JsonPath& path,
                    std::optional<std::int64_t>* seconds);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_DECODE_PROTOBUF_H_
