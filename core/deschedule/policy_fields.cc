#include "core/deschedule/policy_fields.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/deschedule/selector_text.h"
#include "core/model/decode.h"
#include "core/model/field_error.h"
#include "core/model/label_selector.h"

namespace vicinal {
namespace {

// Puts the place in front of what a parser says.
absl::Status At(const JsonPath& path, const absl::Status& status) {
  return FieldError(path, std::string(status.message()));
}

}  // namespace

absl::Status Unsupported(const JsonPath& path, std::string_view what) {
  return absl::UnimplementedError(absl::StrCat(
      path.ToString(), ": vicinal does not support ", std::string(what)));
}

absl::Status ReadCount(JsonValue value, const JsonPath& path,
                       std::optional<std::int64_t>* out) {
  if (IsNull(value)) return absl::OkStatus();
  std::int64_t count = 0;
  if (absl::Status status = Decode(value, path, &count); !status.ok()) {
    return status;
  }
  if (count < 0) {
    return FieldError(path, absl::StrCat("must not be negative, got ", count));
  }
  *out = count;
  return absl::OkStatus();
}

absl::Status ReadLabelSelector(JsonValue value, const JsonPath& path,
                               std::optional<Selector>* out) {
  std::optional<LabelSelector> written;
  if (absl::Status status = Decode(value, path, &written); !status.ok()) {
    return status;
  }
  if (!written) return absl::OkStatus();
  absl::StatusOr<Selector> selector = AsSelector(written);
  if (!selector.ok()) return At(path, selector.status());
  *out = *std::move(selector);
  return absl::OkStatus();
}

absl::Status ReadSelectorText(JsonValue value, const JsonPath& path,
                              std::optional<Selector>* out) {
  std::optional<std::string> text;
  if (absl::Status status = Decode(value, path, &text); !status.ok()) {
    return status;
  }
  if (!text) return absl::OkStatus();
  absl::StatusOr<Selector> selector = ParseSelectorText(*text);
  if (!selector.ok()) return At(path, selector.status());
  *out = *std::move(selector);
  return absl::OkStatus();
}

}  // namespace vicinal
