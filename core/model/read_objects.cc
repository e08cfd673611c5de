#include "core/model/read_objects.h"

#include <optional>
#include <utility>

#include "core/model/json.h"
#include "core/model/object_list.h"

namespace vicinal {

absl::StatusOr<std::vector<Object>> ReadObjects(std::string_view text) {
  std::vector<Object> objects;
  absl::Status status = ForEachObject(
      text, [&objects](const TypeMeta& type, JsonValue value,
                       const JsonPath& path, simdjson::padded_string_view) {
        std::optional<Object> object;
        absl::Status decoded = DecodeObject(value, path, type, &object);
        if (object) objects.push_back(*std::move(object));
        return decoded;
      });
  if (!status.ok()) return status;
  return objects;
}

}  // namespace vicinal
