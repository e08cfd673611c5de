#include "server/listeners/extender/preemption_args.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/json_writer.h"
#include "core/model/pod_admission.h"

namespace vicinal {
namespace {

// absl's own string_view is another type than std's.
bool Is(std::string_view key, const char* name) {
  return absl::EqualsIgnoreCase(absl::string_view(key.data(), key.size()),
                                name);
}

// `{"UID":"u"}`.
absl::Status DecodeMetaPod(JsonValue value, const JsonPath& path,
                           std::string* uid) {
  return ForEachField(
      value, path,
      [uid](std::string_view key, JsonValue field, const JsonPath& where) {
        return Is(key, "UID") ? Decode(field, where, uid) : absl::OkStatus();
      });
}

// A whole pod.
absl::Status DecodePodUid(JsonValue value, const JsonPath& path,
                          std::string* uid) {
  return ForEachField(
      value, path,
      [uid](std::string_view key, JsonValue field, const JsonPath& where) {
        if (!Is(key, "metadata")) return absl::OkStatus();
        return DecodeMetaPod(field, where, uid);
      });
}

// MetaVictims or Victims, which differ in how a pod is written.
absl::Status DecodeVictims(JsonValue value, const JsonPath& path,
                           decltype(DecodeMetaPod) decode_pod,
                           NodeVictims* out) {
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (Is(key, "NumPDBViolations")) {
          return Decode(field, where, &out->num_pdb_violations);
        }
        if (!Is(key, "Pods")) return absl::OkStatus();
        return ForEachElement(
            field, where, [&](JsonValue pod, const JsonPath& there) {
              std::string& uid = out->pod_uids.emplace_back();
              absl::Status status = decode_pod(pod, there, &uid);
              if (!status.ok() || !uid.empty()) return status;
              return FieldError(there, "the pod must have a uid");
            });
      });
}

absl::Status DecodeNodes(JsonValue value, const JsonPath& path,
                         decltype(DecodeMetaPod) decode_pod,
                         std::optional<std::vector<NodeVictims>>* out) {
  if (IsNull(value)) return absl::OkStatus();
  std::vector<NodeVictims>& nodes = out->emplace();
  return ForEachField(
      value, path,
      [&](std::string_view name, JsonValue field, const JsonPath& where) {
        NodeVictims& node = nodes.emplace_back();
        node.node_name = name;
        return DecodeVictims(field, where, decode_pod, &node);
      });
}

}  // namespace

absl::StatusOr<ExtenderPreemptionArgs> ReadExtenderPreemptionArgs(
    std::string_view body) {
  std::optional<Pod> pod;
  std::optional<std::vector<NodeVictims>> meta_victims;
  std::optional<std::vector<NodeVictims>> victims;
  JsonReader reader;
  const simdjson::padded_string_view json(
      body.data(), body.size(), body.size() + simdjson::SIMDJSON_PADDING);
  const absl::Status status = reader.ReadWith(json, [&](JsonValue root) {
    return ForEachField(
        root, JsonPath(),
        [&](std::string_view key, JsonValue field, const JsonPath& path) {
          if (Is(key, "Pod")) return Decode(field, path, &pod);
          if (Is(key, "NodeNameToMetaVictims")) {
            return DecodeNodes(field, path, DecodeMetaPod, &meta_victims);
          }
          if (Is(key, "NodeNameToVictims")) {
            return DecodeNodes(field, path, DecodePodUid, &victims);
          }
          return absl::OkStatus();
        });
  });
  if (!status.ok()) return status;
  if (!pod) return FieldError(JsonPath().Field("Pod"), "required");
  if (!meta_victims) meta_victims = std::move(victims);
  if (!meta_victims) {
    return FieldError(JsonPath().Field("NodeNameToMetaVictims"), "required");
  }
  AdmitPod(*pod);
  return ExtenderPreemptionArgs{*std::move(pod), *std::move(meta_victims)};
}

std::string ToJson(const std::vector<NodeVictims>& candidates) {
  std::string json = R"({"NodeNameToMetaVictims":{)";
  for (const NodeVictims& node : candidates) {
    if (json.back() != '{') json += ',';
    AppendJsonString(node.node_name, json);
    json += R"(:{"Pods":[)";
    for (const std::string& uid : node.pod_uids) {
      if (json.back() != '[') json += ',';
      json += R"({"UID":)";
      AppendJsonString(uid, json);
      json += '}';
    }
    json += R"(],"NumPDBViolations":)";
    AppendJsonNumber(node.num_pdb_violations, json);
    json += '}';
  }
  json += "}}";
  return json;
}

}  // namespace vicinal
