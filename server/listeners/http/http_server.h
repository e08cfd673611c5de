// An HTTP/1.1 server for small synchronous handlers.
//
//   HttpServer::Options options;
//   options.address = "127.0.0.1:0";
//   auto server = HttpServer::Start(options, [](const HttpRequest& request) {
//     return HttpResponse{200, "text/plain", "hello"};
//   });
//
// Answers carry Content-Length and nothing after the body; connections are kept
// alive, also after a request that was refused, unless its end is unknown
// (malformed HTTP, or a body over the limit). Every read and write has a
// timeout.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_HTTP_SERVER_H_
#define VICINAL_SERVER_LISTENERS_HTTP_HTTP_SERVER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/listeners/tls/server_tls.h"

namespace vicinal {

struct HttpRequest {
  std::string_view method;  // "POST"
  std::string_view path;    // Without the query.
  // At least simdjson::SIMDJSON_PADDING bytes behind it are readable.
  std::string_view body;
  bool has_client_certificate = false;  // That the listener's CA has signed.
  // The certificate's common name; "" without one, or with several.
  std::string_view client_name = "";
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow = {};  // With status 405: the methods that are allowed.
};

// `{"error":"<message>"}` with that status.
HttpResponse ErrorResponse(unsigned status, std::string_view message);

// Called from several threads at a time. Must not throw.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Who waits for an answer.
struct HttpCaller {
  std::chrono::steady_clock::time_point asked;  // The request was there.
  // Whether the connection was closed, or the caller's half of it. Thread-safe.
  std::function<bool()> is_gone;
};

// Answers later, from any thread, and once at most; what comes after the server
// has ended is dropped. The request is good only during the call. False: the
// request is one for the HttpHandler.
using HttpAnswer = std::function<void(HttpResponse)>;
using AsyncHttpHandler = std::function<bool(
    const HttpRequest&, const HttpCaller&, const HttpAnswer&)>;

class HttpServer {
 public:
  struct Options {
    std::string address;  // "host:port"; host is an IP address; port 0: any.
    int threads = 1;
    // Asked first, for requests whose answers take long: they keep no thread.
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

  // Binds and starts the threads. InvalidArgument for an address that is none,
  // Unavailable if it cannot be bound.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      const Options& options, HttpHandler handler);

  // As Stop.
  ~HttpServer();

  // "host:port" with the port that was bound.
  const std::string& address() const { return address_; }

  // Accepts no more, closes the connections that wait for a request, and lets
  // the others finish theirs, for up to `patience`. Stop is still to be called.
  void Drain(std::chrono::steady_clock::duration patience);

  // Accepts no more, lets the handlers that are running finish, closes all
  // connections and joins the threads. A second call does nothing. Not to be
  // called by a handler.
  void Stop();

 private:
  class Impl;
  HttpServer(std::string address, std::unique_ptr<Impl> impl);

  const std::string address_;
  std::unique_ptr<Impl> impl_;  // Null once stopped.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_HTTP_SERVER_H_
