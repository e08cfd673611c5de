// Reads Kubernetes objects from JSON. See json.h for the rules and the form of
// the errors; fields without which an object has no meaning are required:
//   spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuring
//   Execution[0].topologyKey: required
#ifndef VICINAL_CORE_MODEL_DECODE_H_
#define VICINAL_CORE_MODEL_DECODE_H_

#include <string_view>

#include "absl/status/status.h"
#include "core/model/json.h"
#include "core/model/object.h"

namespace vicinal {

absl::Status Decode(JsonValue value, const JsonPath& path, Labels* out);
absl::Status Decode(JsonValue value, const JsonPath& path, LabelSelector* out);
absl::Status Decode(JsonValue value, const JsonPath& path,
                    NodeSelectorTerm* out);
absl::Status Decode(JsonValue value, const JsonPath& path, NodeAffinity* out);
absl::Status Decode(JsonValue value, const JsonPath& path,
                    TopologySpreadConstraint* out);
absl::Status Decode(JsonValue value, const JsonPath& path, ObjectMeta* out);
absl::Status Decode(JsonValue value, const JsonPath& path, Quantity* out);
absl::Status Decode(JsonValue value, const JsonPath& path, ResourceList* out);

absl::Status Decode(JsonValue value, const JsonPath& path, Pod* out);
absl::Status Decode(JsonValue value, const JsonPath& path, Node* out);
absl::Status Decode(JsonValue value, const JsonPath& path, Namespace* out);
absl::Status Decode(JsonValue value, const JsonPath& path, Service* out);
absl::Status Decode(JsonValue value, const JsonPath& path,
                    ReplicationController* out);
absl::Status Decode(JsonValue value, const JsonPath& path, ReplicaSet* out);
absl::Status Decode(JsonValue value, const JsonPath& path, StatefulSet* out);
absl::Status Decode(JsonValue value, const JsonPath& path,
                    PodDisruptionBudget* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_DECODE_H_
