#include "core/simulate/script_objects.h"

#include <optional>
#include <utility>

#include "core/model/object_list.h"
#include "core/simulate/decode_workload.h"

namespace vicinal {

absl::StatusOr<ScriptObjects> ReadScriptObjects(std::string_view text) {
  ScriptObjects manifest;
  absl::Status status = ForEachObject(
      text, [&manifest](const TypeMeta& type, JsonValue value,
                        const JsonPath& path, simdjson::padded_string_view) {
        if (const auto kind = WorkloadKindOf(type.api_version, type.kind)) {
          Workload workload;
          absl::Status decoded = DecodeWorkload(value, path, *kind, &workload);
          if (decoded.ok()) manifest.items.emplace_back(std::move(workload));
          return decoded;
        }
        std::optional<Object> object;
        absl::Status decoded = DecodeObject(value, path, type, &object);
        if (object) {
          manifest.items.emplace_back(*std::move(object));
        } else if (decoded.ok()) {
          ++manifest.ignored[type.kind];
        }
        return decoded;
      });
  if (!status.ok()) return status;
  return manifest;
}

}  // namespace vicinal
