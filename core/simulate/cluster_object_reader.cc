#include "core/simulate/cluster_object_reader.h"

#include <optional>

#include "core/deschedule/decode_pod_facts.h"
#include "core/simulate/decode_workload.h"

namespace vicinal {

void ClusterObjectReader::ReadWorkload(const TypeMeta& type,
                                       const JsonPath& path,
                                       simdjson::padded_string_view json) {
  const auto kind = WorkloadKindOf(type.api_version, type.kind);
  if (!kind) return;
  Workload workload;
  const absl::Status status = reader_.ReadWith(json, [&](JsonValue root) {
    return DecodeWorkload(root, path, *kind, &workload);
  });
  if (status.ok()) {
    receiver_.add_workload(std::move(workload));
  } else {
    receiver_.note(left_out_ + std::string(status.message()));
  }
}

absl::Status ClusterObjectReader::operator()(
    const TypeMeta& type, JsonValue value, const JsonPath& path,
    simdjson::padded_string_view json) {
  if (receiver_.add_workload) ReadWorkload(type, path, json);
  if (receiver_.text) {
    absl::Status status = receiver_.text(type, path, json);
    if (!status.ok()) return status;
  }
  PodFacts facts;
  if (receiver_.with_pod_facts && type.kind == "Pod") {
    absl::Status status = reader_.ReadWith(
        json, [&](JsonValue root) { return Decode(root, path, &facts); });
    if (!status.ok()) return status;
  }
  std::optional<Object> object;
  absl::Status status = DecodeObject(value, path, type, &object);
  if (object) receiver_.add(*std::move(object), facts);
  return status;
}

absl::Status ClusterObjectReader::Read(const TypeMeta& type,
                                       simdjson::padded_string_view json) {
  return object_reader_.ReadWith(json, [&](JsonValue value) {
    return (*this)(type, value, JsonPath(), json);
  });
}

}  // namespace vicinal
