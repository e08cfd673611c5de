// Reads Kubernetes objects of any kind, as kubectl writes and reads them.
#ifndef VICINAL_CORE_MODEL_OBJECT_LIST_H_
#define VICINAL_CORE_MODEL_OBJECT_LIST_H_

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/model/json.h"
#include "core/model/object.h"

namespace vicinal {

// metav1.TypeMeta: what an object says it is.
struct TypeMeta {
  std::string api_version;  // Empty: the kind alone tells.
  std::string kind;         // Never empty.
};

// Reads an object whose type is known. See ReadObject.
absl::Status DecodeObject(JsonValue value, const JsonPath& path,
                          const TypeMeta& type, std::optional<Object>* out);

// Calls `on_object` for each object of any kind in a text, in their order, and
// stops at the first error. The form of the text, and of errors, is that of
// ReadObjects (read_objects.h). `value` is the object, unread; on_object reads
// it, at least to its end (DecodeObject does). `json` is its text, padded,
// which may be read again with a reader of one's own.
using OnObject = std::function<absl::Status(
    const TypeMeta& type, JsonValue value, const JsonPath& path,
    simdjson::padded_string_view json)>;
absl::Status ForEachObject(std::string_view text, const OnObject& on_object);
absl::Status ForEachObject(simdjson::padded_string_view text,
                           const OnObject& on_object);

// Calls `on_object` for the one object that a text is; it stands at `path`. Its
// kind must be there. Thread safety: that of the reader.
absl::Status ReadOne(JsonReader& reader, simdjson::padded_string_view json,
                     const JsonPath& path, const OnObject& on_object);

// Reads one object: v1 Node, Pod, Namespace, Service, ReplicationController,
// apps/v1 ReplicaSet or StatefulSet. Nothing for other kinds. The kind must be
// there; an apiVersion that is there must be the right one. What an API server
// would have filled in, is: the namespace "default", and see AdmitPod. Cost:
// O(text). Thread safety: that of the reader.
absl::StatusOr<std::optional<Object>> ReadObject(
    JsonReader& reader, simdjson::padded_string_view json);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_OBJECT_LIST_H_
