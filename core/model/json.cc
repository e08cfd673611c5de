#include "core/model/json.h"

#include <limits>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

// The value as it stands in the text, shortened if it is long.
std::string Excerpt(JsonValue value) {
  constexpr std::size_t kMaxLength = 64;
  std::string_view token = value.raw_json_token();
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' ||
                            token.back() == '\t' || token.back() == '\r')) {
    token.remove_suffix(1);
  }
  if (token.starts_with('{')) return "an object";
  if (token.starts_with('[')) return "an array";
  if (token.size() <= kMaxLength) return std::string(token);
  return std::string(token.substr(0, kMaxLength)) + "…";
}

}  // namespace

absl::Status SyntaxError(const JsonPath& path, simdjson::error_code error) {
  return FieldError(
      path, std::string("invalid JSON: ") + simdjson::error_message(error));
}

absl::Status TypeError(const JsonPath& path, std::string_view wanted,
                       JsonValue value) {
  std::string problem = "must be ";
  problem.append(wanted).append(", got ").append(Excerpt(value));
  return FieldError(path, problem);
}

bool IsNull(JsonValue& value) {
  // The root, which is an object or an array, must not be asked is_null.
  if (!value.raw_json_token().starts_with('n')) return false;
  bool is_null = false;
  return value.is_null().get(is_null) == simdjson::SUCCESS && is_null;
}

absl::Status Decode(JsonValue value, const JsonPath& path, std::string* out) {
  if (IsNull(value)) return absl::OkStatus();
  std::string_view text;
  const auto error = value.get_string().get(text);
  if (error == simdjson::INCORRECT_TYPE) {
    return TypeError(path, "a string", value);
  }
  if (error != simdjson::SUCCESS) return SyntaxError(path, error);
  out->assign(text);
  return absl::OkStatus();
}

absl::Status Decode(JsonValue value, const JsonPath& path, bool* out) {
  if (IsNull(value)) return absl::OkStatus();
  if (value.get_bool().get(*out) != simdjson::SUCCESS) {
    return TypeError(path, "true or false", value);
  }
  return absl::OkStatus();
}

absl::Status Decode(JsonValue value, const JsonPath& path, std::int64_t* out) {
  if (IsNull(value)) return absl::OkStatus();
  if (value.get_int64().get(*out) != simdjson::SUCCESS) {
    return TypeError(path, "an integer", value);
  }
  return absl::OkStatus();
}

absl::Status Decode(JsonValue value, const JsonPath& path, std::int32_t* out) {
  if (IsNull(value)) return absl::OkStatus();
  std::int64_t wide = 0;
  if (value.get_int64().get(wide) != simdjson::SUCCESS ||
      wide < std::numeric_limits<std::int32_t>::min() ||
      wide > std::numeric_limits<std::int32_t>::max()) {
    return TypeError(path, "a 32-bit integer", value);
  }
  *out = static_cast<std::int32_t>(wide);
  return absl::OkStatus();
}

absl::Status Decode(JsonValue value, const JsonPath& path, Labels* out) {
  std::vector<Labels::Entry> entries;
  absl::Status status = ForEachField(
      value, path,
      [&entries](std::string_view key, JsonValue field, const JsonPath& where) {
        auto& entry = entries.emplace_back(key, "");
        return Decode(field, where, &entry.second);
      });
  if (!status.ok()) return status;
  *out = Labels(std::move(entries));
  return absl::OkStatus();
}

}  // namespace vicinal
