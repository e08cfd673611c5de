#ifndef VICINAL_SERVER_KUBERNETES_API_CLIENT_H_
#define VICINAL_SERVER_KUBERNETES_API_CLIENT_H_

#include <simdjson.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// A client of one API server that does one thing at a time over one connection,
// which it opens when needed and keeps while it is usable.
//
//   (Connect | Get | Send | AskAhead)*  or  StartStream NextDocuments*
//
// A call that returns an error has closed the connection; the next Get, Send or
// StartStream opens another (also when a stream has not been read to its end).
// A kept connection that turns out to be closed is replaced once, silently: a
// request may arrive twice.
//
// Not thread safe: call from the executor's thread, and await a call before the
// next. Destroying the client, or the coroutine that awaits, cancels what is
// under way.
//
// Timeouts: see ApiClientOptions. The host's name is looked up by the C
// library, whose own timeouts (resolv.conf) apply.
class ApiClient {
 public:
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  // Errors: certificates or keys of the configuration that cannot be used.
  static absl::StatusOr<std::unique_ptr<ApiClient>> Create(
      boost::asio::any_io_executor executor, const ClientConfig& config,
      const ApiClientOptions& options);
  ~ApiClient();

  // Opens the connection if there is none, so that the next request need not.
  Awaitable<absl::Status> Connect();
  bool IsConnected() const;

  // GETs `target`, a path and query below the server's prefix. An answer with
  // any status is OK; errors are those of name lookup, connection, TLS,
  // timeout, HTTP and size.
  Awaitable<absl::StatusOr<ApiResponse>> Get(std::string target);

  // Sends the request of a Get that follows, which then finds the server at
  // work or done. Does nothing without a kept connection; what goes wrong shows
  // in the Get. The answer is thrown away if another call follows.
  Awaitable<void> AskAhead(std::string target);

  // The same as Get for any method and body.
  Awaitable<absl::StatusOr<ApiResponse>> Send(ApiRequest request);

  // GETs `target` as a stream of documents: JSON, one a line, or protobuf, one
  // a frame (see frame.h), as the answer's `encoding` says. With status 200 the
  // body of the answer is empty and NextDocuments gives it; with any other this
  // is Get.
  Awaitable<absl::StatusOr<ApiResponse>> StartStream(std::string target);

  // The next whole lines or frames of the stream, as many as have arrived, at
  // least one; valid until the next call, lines padded for simdjson. Waits
  // without end. Empty: the server has ended the stream in an orderly way. A
  // line without its end of line counts only there, at the orderly end; half a
  // frame is an error.
  Awaitable<absl::StatusOr<simdjson::padded_string_view>> NextDocuments();

  // Of the stream that has begun last.
  Encoding stream_encoding() const;

  // When the last bytes came, whole lines or not; the clock's epoch before.
  std::chrono::steady_clock::time_point last_read() const;

  // Closes the connection, and with it a stream. Not while a call is awaited.
  void Close();

 private:
  class Impl;
  explicit ApiClient(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_CLIENT_H_
