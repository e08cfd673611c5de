#ifndef VICINAL_SERVER_KUBERNETES_API_CLIENT_OPTIONS_H_
#define VICINAL_SERVER_KUBERNETES_API_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "server/kubernetes/encoding.h"

namespace vicinal {

struct ApiClientOptions {
  std::string user_agent = "vicinal";
  // What requests without an object of their own ask for; see AcceptOf.
  Encoding wanted = Encoding::kJson;
  // A peer that does not acknowledge bytes is given up after this time, so that
  // another connection is tried when the network is back.
  std::chrono::milliseconds unacknowledged_timeout{5'000};
  // To each address of the host.
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds handshake_timeout{10'000};
  // From the request to the head of its answer. An API server gives up on a
  // list after 60 s.
  std::chrono::milliseconds response_timeout{90'000};
  // Between two pieces of an answer's body, and for sending a request. Not of a
  // stream, which may be silent for as long as its reader likes.
  std::chrono::milliseconds read_timeout{30'000};
  // Called when the client begins with a client certificate, at first and after
  // each change, with the end of its validity; on the executor's thread.
  std::function<void(std::chrono::sys_seconds)> on_client_certificate = {};
  size_t max_body_bytes = size_t{512} << 20;
  size_t max_line_bytes = size_t{64}
                          << 20;  // or frame: one document in a stream
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_CLIENT_OPTIONS_H_
