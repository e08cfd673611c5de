#include "core/model/decode_time.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "core/model/field_error.h"

namespace vicinal {

absl::Status DecodeTime(JsonValue value, const JsonPath& path,
                        std::optional<std::int64_t>* out) {
  std::optional<std::string> text;
  absl::Status status = Decode(value, path, &text);
  if (!status.ok() || !text) return status;
  absl::Time time;
  // absl would also take "infinite-future", and white space.
  if (text->empty() || !absl::ascii_isdigit(text->front()) ||
      !absl::ascii_isalnum(text->back()) ||
      !absl::ParseTime(absl::RFC3339_full, *text, &time, nullptr)) {
    return FieldError(path, "must be an RFC 3339 time, got " + Quoted(*text));
  }
  *out = absl::ToUnixSeconds(time);
  return absl::OkStatus();
}

}  // namespace vicinal
