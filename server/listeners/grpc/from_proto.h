// Reads what comes over gRPC into the values of core/model. As to JSON,
// core/model/decode.h does the same: what is required there is required here.
//
// Errors are InvalidArgument and name the field by its JSON name, and the
// value: `pod.spec.affinity.podAffinity.…[0].topologyKey: required`.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_FROM_PROTO_H_
#define VICINAL_SERVER_LISTENERS_GRPC_FROM_PROTO_H_

#include <cstddef>

#include "absl/status/status.h"
#include "core/index/cluster_state.h"
#include "core/model/json_path.h"
#include "core/model/object.h"
#include "core/model/pod.h"
#include "vicinal/v1/cluster_state.pb.h"
#include "vicinal/v1/objects.pb.h"

namespace vicinal {

// `path` is where the message is in its request. What an API server would have
// filled in, is (core/model/pod_admission.h). Cost: O(message).
absl::Status Decode(const v1::Pod& message, const JsonPath& path, Pod* out);

// The same for any kind; other objects than pods must have a name.
absl::Status Decode(const v1::Object& message, const JsonPath& path,
                    Object* out);

// Which object is meant.
struct ObjectReference {
  std::size_t kind = 0;  // Index of the alternative of Object.
  ObjectKey key;
};

absl::Status Decode(const v1::ObjectReference& message, const JsonPath& path,
                    ObjectReference* out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_FROM_PROTO_H_
