#ifndef VICINAL_SERVER_KUBERNETES_TESTING_TEST_HTTP_SERVER_H_
#define VICINAL_SERVER_KUBERNETES_TESTING_TEST_HTTP_SERVER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/kubernetes/testing/test_certificates.h"

namespace vicinal {

// A request as the server saw it.
struct TestRequest {
  int connection = 0;  // 1 for the first accepted, and so on
  std::string method;
  std::string target;
  std::string path;
  std::map<std::string, std::string> query;    // percent-decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string client_name;  // common name of the client's certificate
  std::string server_name;  // that the client asked for (SNI)
  std::chrono::steady_clock::time_point at;

  std::string Query(const std::string& key) const;   // "" if absent
  std::string Header(const std::string& key) const;  // "" if absent
};

// What a test's handler answers through; blocks, and does nothing once the
// client is gone.
class TestReply {
 public:
  virtual ~TestReply() = default;

  // A whole answer, with Content-Length.
  virtual void Send(int status, const std::string& body,
                    const std::map<std::string, std::string>& headers = {}) = 0;
  // A chunked answer in pieces; each is one chunk.
  virtual void StartChunks(int status = 200, const std::string& content_type =
                                                 "application/json") = 0;
  virtual void Chunk(const std::string& piece) = 0;
  virtual void EndChunks() = 0;
  // Bytes as they are.
  virtual void SendRaw(const std::string& bytes) = 0;
  // Closes the connection when the handler returns, in the middle of whatever
  // was sent.
  virtual void Cut() = 0;
  // Blocks until the client closes the connection or the server stops.
  virtual void WaitUntilGone() = 0;
};

struct TestHttpServerOptions {
  // TLS unless the certificate is empty.
  TestCertificate certificate;
  // Asks for a client certificate signed by this authority, and refuses a
  // client without one.
  std::string client_authority_pem;
  // Connections wait this long before the server reads a first byte from them.
  std::chrono::milliseconds accept_delay{0};
  uint16_t port = 0;  // 0: a free one
};

// An HTTP/1.1 server on 127.0.0.1 for tests: one thread per connection, which
// calls the handler for each request (concurrently for several connections).
// Keeps every request it saw.
class TestHttpServer {
 public:
  using Handler =
      std::function<void(const TestRequest& request, TestReply& reply)>;

  TestHttpServer(TestHttpServerOptions options, Handler handler);
  // Closes all connections and joins all threads.
  ~TestHttpServer();

  uint16_t port() const;
  std::vector<TestRequest> requests() const;
  // Waits until there were this many requests; false after 20 s.
  bool WaitForRequests(size_t count) const;
  // Closes every connection that is open now.
  void CutAll();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_TESTING_TEST_HTTP_SERVER_H_
