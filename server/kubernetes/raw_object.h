#ifndef VICINAL_SERVER_KUBERNETES_RAW_OBJECT_H_
#define VICINAL_SERVER_KUBERNETES_RAW_OBJECT_H_

#include <simdjson.h>

#include "server/kubernetes/encoding.h"

namespace vicinal {

// An object as the API server sent it.
struct RawObject {
  Encoding encoding = Encoding::kJson;
  // JSON is padded for simdjson. Protobuf is the object's own message, such as
  // k8s.io.api.core.v1.Pod, without what says its kind.
  simdjson::padded_string_view bytes;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_RAW_OBJECT_H_
