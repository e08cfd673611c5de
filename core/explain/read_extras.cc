#include "core/explain/read_extras.h"

#include <utility>

#include "core/model/decode_extras.h"

namespace vicinal {

absl::Status ExtrasReader::ReadPod(const JsonPath& path,
                                   simdjson::padded_string_view json) {
  PodExtras pod;
  ObjectKey key;
  absl::Status status = reader_.ReadWith(
      json, [&](JsonValue root) { return Decode(root, path, &pod); });
  if (!status.ok() || pod.IsEmpty()) return status;
  status = reader_.ReadWith(json, [&](JsonValue root) {
    return ForEachField(
        root, path,
        [&key](std::string_view name, JsonValue field, const JsonPath& where) {
          if (name != "metadata") return absl::OkStatus();
          return DecodeFields(field, where, JsonField{"name", &key.name},
                              JsonField{"namespace", &key.namespace_name});
        });
  });
  if (key.namespace_name.empty()) key.namespace_name = "default";
  extras_.pods[std::move(key)] = std::move(pod);
  return status;
}

absl::Status ExtrasReader::Read(const TypeMeta& type, const JsonPath& path,
                                simdjson::padded_string_view json) {
  if (type.kind == "Pod") return ReadPod(path, json);
  if (!IsStorageKind(type.api_version, type.kind)) return absl::OkStatus();
  return reader_.ReadWith(json, [&](JsonValue root) {
    return DecodeStorage(root, path, type.kind, &extras_.storage);
  });
}

}  // namespace vicinal
