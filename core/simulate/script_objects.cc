#include "core/simulate/script_objects.h"

#include <optional>
#include <utility>

#include "core/deschedule/decode_pod_facts.h"
#include "core/model/api_resources.h"
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

absl::Status LoadCluster(std::string text, bool with_pod_facts,
                         SimulatedCluster& simulated) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  JsonReader reader;
  bool is_cluster = false;
  absl::Status status = ForEachObject(
      simdjson::padded_string_view(text),
      [&](const TypeMeta& type, JsonValue value, const JsonPath& path,
          simdjson::padded_string_view json) {
        if (const auto kind = WorkloadKindOf(type.api_version, type.kind)) {
          Workload workload;
          // One that cannot be simulated is no reason to refuse the dump.
          const absl::Status decoded =
              reader.ReadWith(json, [&](JsonValue root) {
                return DecodeWorkload(root, path, *kind, &workload);
              });
          if (decoded.ok()) {
            simulated.Load(std::move(workload));
          } else {
            simulated.Note("left out: " + std::string(decoded.message()));
          }
        }
        PodFacts facts;
        if (with_pod_facts && type.kind == "Pod") {
          absl::Status decoded = reader.ReadWith(
              json, [&](JsonValue root) { return Decode(root, path, &facts); });
          if (!decoded.ok()) return decoded;
        }
        std::optional<Object> object;
        absl::Status decoded = DecodeObject(value, path, type, &object);
        if (!decoded.ok() || !object) return decoded;
        is_cluster |= std::holds_alternative<Node>(*object) ||
                      std::holds_alternative<Pod>(*object);
        simulated.Load(*std::move(object), facts);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  if (!is_cluster) {
    return absl::InvalidArgumentError(
        "no Node and no Pod in it; it must be what `" + ClusterFileCommand() +
        "` prints");
  }
  return absl::OkStatus();
}

}  // namespace vicinal
