// A server of HTTP/1.1 and, over TLS, of HTTP/2 for small synchronous handlers.
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
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/listeners/http/http_handler.h"
#include "server/listeners/http/http_options.h"

namespace vicinal {

class HttpServer {
 public:
  using Options = HttpOptions;

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
