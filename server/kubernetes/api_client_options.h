#ifndef VICINAL_SERVER_KUBERNETES_API_CLIENT_OPTIONS_H_
#define VICINAL_SERVER_KUBERNETES_API_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <string>

namespace vicinal {

struct ApiClientOptions {
  std::string user_agent = "vicinal";
  // To each address of the host.
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds handshake_timeout{10'000};
  // From the request to the head of its answer. An API server gives up on a
  // list after 60 s.
  std::chrono::milliseconds response_timeout{90'000};
  // Between two pieces of an answer's body, and for sending a request.
  std::chrono::milliseconds read_timeout{30'000};
  // Between two pieces of a stream. A watch with bookmarks carries one every
  // minute (apiserver pkg/storage/cacher); after two and a half of them the
  // connection counts as dead. TCP keep-alive finds a dead peer after one
  // minute.
  std::chrono::milliseconds stream_idle_timeout{150'000};
  size_t max_body_bytes = size_t{512} << 20;
  size_t max_line_bytes = size_t{64} << 20;  // of one document in a stream
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_CLIENT_OPTIONS_H_
