// Reads JSON into plain values, once, front to back (simdjson on-demand), with
// errors that name the field path and the value:
//   `spec.priority: must be an integer, got "high"`.
//
// A type T is readable if `absl::Status Decode(JsonValue, const JsonPath&, T*)`
// exists in its namespace. As in Go, null leaves the default, unknown fields
// are skipped and of duplicate fields the last one counts.
#ifndef VICINAL_CORE_MODEL_JSON_H_
#define VICINAL_CORE_MODEL_JSON_H_

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/json_path.h"
#include "core/model/labels.h"

namespace vicinal {

using JsonValue = simdjson::ondemand::value;

// InvalidArgument for text that is not JSON, or not complete.
absl::Status SyntaxError(const JsonPath& path, simdjson::error_code error);

// InvalidArgument `path: must be <wanted>, got <value>`.
absl::Status TypeError(const JsonPath& path, std::string_view wanted,
                       JsonValue value);

// Whether the value is the literal null (which is then consumed).
bool IsNull(JsonValue& value);

absl::Status Decode(JsonValue value, const JsonPath& path, std::string* out);
absl::Status Decode(JsonValue value, const JsonPath& path, bool* out);
absl::Status Decode(JsonValue value, const JsonPath& path, std::int32_t* out);
absl::Status Decode(JsonValue value, const JsonPath& path, std::int64_t* out);
absl::Status Decode(JsonValue value, const JsonPath& path, Labels* out);

// Calls `on_field(std::string_view key, JsonValue value, const JsonPath& path)
// -> absl::Status` for each field of an object; stops at the first error. A
// null is an object without fields.
template <typename OnField>
absl::Status ForEachField(JsonValue value, const JsonPath& path,
                          OnField&& on_field) {
  if (IsNull(value)) return absl::OkStatus();
  simdjson::ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    return TypeError(path, "an object", value);
  }
  for (auto field : object) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) {
      return SyntaxError(path, error);
    }
    JsonValue field_value;
    if (const auto error = field.value().get(field_value)) {
      return SyntaxError(path, error);
    }
    if (absl::Status status = on_field(key, field_value, path.Field(key));
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

// The same for the elements of an array: `on_element(JsonValue, const
// JsonPath&)`.
template <typename OnElement>
absl::Status ForEachElement(JsonValue value, const JsonPath& path,
                            OnElement&& on_element) {
  if (IsNull(value)) return absl::OkStatus();
  simdjson::ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) {
    return TypeError(path, "an array", value);
  }
  std::size_t index = 0;
  for (auto element : array) {
    JsonValue element_value;
    if (const auto error = element.get(element_value)) {
      return SyntaxError(path.Index(index), error);
    }
    if (absl::Status status = on_element(element_value, path.Index(index));
        !status.ok()) {
      return status;
    }
    ++index;
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Decode(JsonValue value, const JsonPath& path,
                    std::vector<T>* out) {
  out->clear();
  return ForEachElement(value, path,
                        [out](JsonValue element, const JsonPath& where) {
                          return Decode(element, where, &out->emplace_back());
                        });
}

template <typename T>
absl::Status Decode(JsonValue value, const JsonPath& path,
                    std::optional<T>* out) {
  if (IsNull(value)) {
    out->reset();
    return absl::OkStatus();
  }
  return Decode(value, path, &out->emplace());
}

// Where a field of an object is to be stored.
template <typename T>
struct JsonField {
  std::string_view name;
  T* out;
};
template <typename T>
JsonField(const char*, T*) -> JsonField<T>;

// Reads the given fields of an object, whichever of them are there, in any
// order.
template <typename... T>
absl::Status DecodeFields(JsonValue value, const JsonPath& path,
                          const JsonField<T>&... fields) {
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        absl::Status status;
        // Stops at the field of that name.
        static_cast<void>(
            ((key == fields.name &&
              (status = Decode(field, where, fields.out), true)) ||
             ...));
        return status;
      });
}

// Reads documents, one after another, with one parser whose memory is reused.
// Not thread-safe: one reader per thread.
class JsonReader {
 public:
  // Reads a whole document that is an object or an array. The text must have
  // simdjson::SIMDJSON_PADDING readable bytes behind it. Cost: O(text), one
  // pass.
  template <typename T>
  absl::StatusOr<T> Read(simdjson::padded_string_view json) {
    T out{};
    absl::Status status = ReadWith(
        json, [&out](JsonValue value) { return Decode(value, {}, &out); });
    if (!status.ok()) return status;
    return out;
  }

  // The same for text without padding, which is copied first.
  template <typename T>
  absl::StatusOr<T> ReadCopy(std::string_view json) {
    const simdjson::padded_string padded(json);
    return Read<T>(padded);
  }

  // Calls `on_value(JsonValue) -> absl::Status` with the document's root, then
  // checks that nothing follows it.
  template <typename OnValue>
  absl::Status ReadWith(simdjson::padded_string_view json, OnValue&& on_value) {
    simdjson::ondemand::document document;
    if (const auto error = parser_.iterate(json).get(document)) {
      return SyntaxError({}, error);
    }
    JsonValue root;
    if (const auto error = document.get_value().get(root)) {
      return error == simdjson::SCALAR_DOCUMENT_AS_VALUE
                 ? FieldError({}, "must be an object or an array")
                 : SyntaxError({}, error);
    }
    if (absl::Status status = on_value(root); !status.ok()) return status;
    const char* rest = nullptr;
    if (document.current_location().get(rest) == simdjson::SUCCESS) {
      return FieldError({}, "text after the JSON value");
    }
    return absl::OkStatus();
  }

 private:
  simdjson::ondemand::parser parser_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_JSON_H_
