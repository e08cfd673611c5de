// Reads Kubernetes objects of any kind, as kubectl writes and reads them.
#ifndef VICINAL_CORE_MODEL_OBJECT_LIST_H_
#define VICINAL_CORE_MODEL_OBJECT_LIST_H_

#include <simdjson.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
// ReadObjects. `value` is the object, unread; on_object reads it, at least to
// its end (DecodeObject does). `json` is its text, padded, which may be read
// again with a reader of one's own.
using OnObject = std::function<absl::Status(
    const TypeMeta& type, JsonValue value, const JsonPath& path,
    simdjson::padded_string_view json)>;
absl::Status ForEachObject(std::string_view text, const OnObject& on_object);
absl::Status ForEachObject(simdjson::padded_string_view text,
                           const OnObject& on_object);

// Reads one object: v1 Node, Pod, Namespace, Service, ReplicationController,
// apps/v1 ReplicaSet or StatefulSet. Nothing for other kinds. The kind must be
// there; an apiVersion that is there must be the right one. What an API server
// would have filled in, is: the namespace "default", and see AdmitPod. Cost:
// O(text). Thread safety: that of the reader.
absl::StatusOr<std::optional<Object>> ReadObject(
    JsonReader& reader, simdjson::padded_string_view json);

// Reads the objects in a text, in their order, and skips kinds that ReadObject
// does not know. The text is JSON if its first character is '{': one object or
// list; otherwise it is YAML, with any number of documents. Lists may be of
// kind List or typed (PodList), and may stand in lists, 4 deep.
//
// Errors name the place and the value:
//   `items[3].spec.nodeName: must be a string, got 5`, in a YAML stream of
//   several documents `documents[1].items[3].…`.
// Cost: O(text), with JSON one copy of the text (none if it is padded) and
// about a byte of working memory for each byte of text.
absl::StatusOr<std::vector<Object>> ReadObjects(std::string_view text);
absl::StatusOr<std::vector<Object>> ReadObjects(
    simdjson::padded_string_view text);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_OBJECT_LIST_H_
