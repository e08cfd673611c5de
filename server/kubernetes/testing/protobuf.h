// Protobuf as an API server sends it.
#ifndef VICINAL_SERVER_KUBERNETES_TESTING_PROTOBUF_H_
#define VICINAL_SERVER_KUBERNETES_TESTING_PROTOBUF_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/testing/encode_protobuf.h"

namespace vicinal {

// An object with what says its kind.
inline std::string InEnvelope(std::string_view kind, std::string_view message) {
  return std::string("k8s\0", 4) +
         WireBytes(1, WireBytes(1, "v1") + WireBytes(2, kind)) +
         WireBytes(2, message) + WireBytes(3, "") + WireBytes(4, "");
}

inline std::string Frame(std::string_view bytes) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(bytes.size() >> shift);
  }
  frame += bytes;
  return frame;
}

// An event of a watch without its frame.
inline std::string ProtobufEvent(std::string_view type, std::string_view kind,
                                 std::string_view message) {
  return WireBytes(1, type) +
         WireBytes(2, WireBytes(1, InEnvelope(kind, message)));
}

inline std::string ProtobufObject(std::string_view name,
                                  std::string_view version) {
  return WireBytes(1, WireBytes(1, name) + WireBytes(6, version));
}

// A metav1.Status.
inline std::string ProtobufStatusOf(int code) {
  return WireBytes(1, "") + WireBytes(2, "Failure") + WireBytes(3, "told so") +
         EncodeField(6, code);
}

inline std::string ProtobufList(std::string_view version,
                                std::string_view continue_token,
                                const std::vector<std::string>& items) {
  std::string list =
      WireBytes(1, WireBytes(2, version) + WireBytes(3, continue_token));
  for (const std::string& item : items) list += WireBytes(2, item);
  return InEnvelope("PodList", list);
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_TESTING_PROTOBUF_H_
