// What can be chosen about an HTTP server.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_HTTP_OPTIONS_H_
#define VICINAL_SERVER_LISTENERS_HTTP_HTTP_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "server/listeners/http/http_handler.h"
#include "server/listeners/tls/server_tls.h"

namespace vicinal {

struct HttpOptions {
  std::string address;  // "host:port"; host is an IP address; port 0: any.
  // That run the handler, and as many for connections.
  int threads = 1;
  // Asked first, for requests whose answers take long: they keep no thread.
  // Runs on the connection's thread, and so must not block.
  AsyncHttpHandler async_handler = nullptr;
  std::size_t max_body_bytes = 64 << 20;
  // Connections at a time; others are closed at once.
  std::size_t max_connections = 2000;
  // Of all answers that have been made and are not sent yet; instead of one
  // more the client gets status 503.
  std::size_t max_unsent_bytes = 256 << 20;
  // Told "connections" or "answers" when one of these two limits refuses
  // something. Called from several threads at a time.
  std::function<void(const char* limit)> on_refusal = nullptr;
  std::size_t max_header_bytes = 64 << 10;
  // From the first byte of a request to its last, and for writing an answer.
  std::chrono::seconds request_timeout{30};
  // Between requests on one connection.
  std::chrono::seconds idle_timeout{600};
  // Null: no TLS. Must outlive the server.
  const ServerTls* tls = nullptr;
  // With a client CA: whether to serve clients with a certificate only.
  bool require_client_certificate = true;
  std::chrono::seconds handshake_timeout{10};
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_HTTP_OPTIONS_H_
