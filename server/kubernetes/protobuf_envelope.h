#ifndef VICINAL_SERVER_KUBERNETES_PROTOBUF_ENVELOPE_H_
#define VICINAL_SERVER_KUBERNETES_PROTOBUF_ENVELOPE_H_

#include <optional>
#include <string_view>

namespace vicinal {

// What the API server puts around an object in protobuf, to say what it is. The
// views are of the bytes that were opened.
// Source: k8s.io/apimachinery/pkg/runtime/serializer/protobuf, and
// runtime.Unknown.
struct ProtobufEnvelope {
  std::string_view kind;     // "PodList"
  std::string_view message;  // k8s.io.api.core.v1.PodList
};

// Nothing if the bytes are no such envelope. Cost: O(1).
std::optional<ProtobufEnvelope> OpenProtobuf(std::string_view bytes);

// What a metav1.Status says; what it does not say, or behind something that is
// no protobuf, stays 0 or "".
struct ProtobufStatus {
  int code = 0;
  std::string_view message;
};
ProtobufStatus ReadProtobufStatus(std::string_view message);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_PROTOBUF_ENVELOPE_H_
