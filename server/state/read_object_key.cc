#include "server/state/read_object_key.h"

#include <string_view>

#include "absl/status/status.h"

namespace vicinal {

std::optional<ObjectKey> ReadObjectKey(JsonReader& reader,
                                       simdjson::padded_string_view json,
                                       std::string* uid) {
  ObjectKey key;
  const auto read_name = [&key, uid](std::string_view name, JsonValue field,
                                     const JsonPath& path) {
    if (name == "namespace") return Decode(field, path, &key.namespace_name);
    if (name == "name") return Decode(field, path, &key.name);
    if (name == "uid") return Decode(field, path, uid);
    return absl::OkStatus();
  };
  const absl::Status status = reader.ReadWith(json, [&](JsonValue object) {
    return ForEachField(
        object, JsonPath(),
        [&](std::string_view name, JsonValue field, const JsonPath& path) {
          return name == "metadata" ? ForEachField(field, path, read_name)
                                    : absl::OkStatus();
        });
  });
  if (!status.ok() || key.name.empty()) return std::nullopt;
  return key;
}

}  // namespace vicinal
