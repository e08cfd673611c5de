#ifndef VICINAL_SERVER_KUBERNETES_FRAME_H_
#define VICINAL_SERVER_KUBERNETES_FRAME_H_

#include <cstddef>
#include <string_view>

namespace vicinal {

// A stream of protobuf is a row of frames: four bytes that say how many follow,
// the most significant first.
// Source: k8s.io/apimachinery/pkg/util/framer.
inline constexpr std::size_t kFrameHeaderBytes = 4;

// What the header announces; `bytes` has at least a header.
constexpr std::size_t FrameLength(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kFrameHeaderBytes; ++i) {
    length = (length << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

// Whether a whole frame begins the bytes.
constexpr bool HasFrame(std::string_view bytes) {
  return bytes.size() >= kFrameHeaderBytes &&
         FrameLength(bytes) <= bytes.size() - kFrameHeaderBytes;
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_FRAME_H_
