// Reads from JSON what the index does not keep. Errors name the field.
#ifndef VICINAL_CORE_MODEL_DECODE_EXTRAS_H_
#define VICINAL_CORE_MODEL_DECODE_EXTRAS_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/model/api_resources.h"
#include "core/model/json.h"
#include "core/model/pod_extras.h"
#include "core/model/storage.h"

namespace vicinal {

// Of a v1.Pod.
absl::Status Decode(JsonValue value, const JsonPath& path, PodExtras* out);
// Of its namespace no word: "default" if the object does not say it.
absl::Status Decode(JsonValue value, const JsonPath& path,
                    PersistentVolumeClaim* out);

// Whether a volume's source is one of a cloud or protocol that the scheduler's
// own code judges: "rbd".
bool IsInTreeSource(std::string_view source);

// The resources that StorageObjects has, as an API server serves them.
std::span<const ApiResource> StorageResources();

// Whether an object is of a kind that StorageObjects has. An empty
// `api_version` is any.
bool IsStorageKind(std::string_view api_version, std::string_view kind);

// Reads an object of such a kind, and puts it in the place of one of the same
// name.
absl::Status DecodeStorage(JsonValue value, const JsonPath& path,
                           std::string_view kind, StorageObjects* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_DECODE_EXTRAS_H_
