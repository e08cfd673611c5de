// A header field as nghttp2 takes it.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_HTTP2_FIELD_H_
#define VICINAL_SERVER_LISTENERS_HTTP_HTTP2_FIELD_H_

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string_view>

namespace vicinal {

// Both texts must live until it is submitted; nghttp2 then copies them.
inline nghttp2_nv Http2Field(std::string_view name, std::string_view value) {
  // nghttp2 does not change them.
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(
        reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_HTTP2_FIELD_H_
