// A connection over TLS that speaks HTTP/2, for tests.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_TESTING_HTTP2_CONNECTION_H_
#define VICINAL_SERVER_LISTENERS_HTTP_TESTING_HTTP2_CONNECTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/kubernetes/testing/test_certificates.h"
#include "server/listeners/http/testing/http2_client.h"

struct ssl_ctx_st;
struct ssl_st;

namespace vicinal {

// Waits at most ten seconds for anything. Not thread-safe.
class Http2Connection {
 public:
  // Connects to `address`, "host:port", with a certificate unless it is empty,
  // and offers the protocols. Does not verify the server.
  explicit Http2Connection(
      const std::string& address, const TestCertificate& certificate = {},
      const std::vector<std::string>& protocols = {"h2", "http/1.1"},
      std::int32_t window = 1 << 20);
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;
  ~Http2Connection();

  // What the server has chosen; "" if nothing, or if there is no connection.
  std::string protocol() const;

  Http2Client& client() { return client_; }

  // Sends and receives until `condition` is true. False: it never was, or the
  // server has closed the connection before.
  bool Await(const std::function<bool()>& condition);
  // Until the stream is closed.
  const Http2Answer& Await(std::int32_t stream);
  // Whether the server has closed the connection, with what it has said before.
  bool AwaitEnd();

  // Sends and receives bytes beside HTTP/2.
  bool SendRaw(std::string_view bytes);
  std::string ReceiveRaw();

 private:
  struct Deleter {
    void operator()(ssl_ctx_st* context) const;
    void operator()(ssl_st* connection) const;
  };

  int socket_ = -1;
  std::unique_ptr<ssl_ctx_st, Deleter> context_;
  std::unique_ptr<ssl_st, Deleter> ssl_;  // Null: there is no connection.
  Http2Client client_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_TESTING_HTTP2_CONNECTION_H_
