// One connection to an HTTP server, for tests that decide about every byte.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_TESTING_RAW_CLIENT_H_
#define VICINAL_SERVER_LISTENERS_HTTP_TESTING_RAW_CLIENT_H_

#include <optional>
#include <string>
#include <string_view>

namespace vicinal {

struct RawResponse {
  int status = 0;
  std::string head;  // Status line and header fields, each with its CRLF.
  std::string body;

  // The value of a header field, whose name is given as the server writes it;
  // "" if there is none.
  std::string Field(std::string_view name) const;
};

// Waits at most ten seconds for anything. Not thread-safe.
class RawClient {
 public:
  // Connects; `address` is "host:port", the host an IP address.
  explicit RawClient(const std::string& address);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  bool connected() const { return socket_ >= 0; }

  // False if not all of it could be sent.
  bool Send(std::string_view bytes);
  // Sends the end of the stream; the answers can still be read.
  void ShutdownSend();

  // The next answer, whose end is where its Content-Length says; it has no body
  // if it has none. Nothing if the stream ends first.
  std::optional<RawResponse> Receive();
  // The next answer to a HEAD request.
  std::optional<RawResponse> ReceiveHead();

  // Whether the server has closed the connection without a further byte.
  bool IsAtEnd();
  // All bytes until the server closes the connection; nothing if it does not.
  std::optional<std::string> ReceiveAll();

 private:
  enum class Read { kData, kEnd, kError };
  Read ReadSome();

  int socket_ = -1;
  std::string received_;  // And not asked for yet.
};

// A TCP connection to `address`, whose calls wait at most ten seconds; -1 if it
// is not accepted. To be closed by the caller.
int ConnectSocket(const std::string& address);

// Whether a TCP connection to `address` is accepted.
bool CanConnect(const std::string& address);

// A POST request with a body and its Content-Length.
std::string Post(std::string_view target, std::string_view body);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_TESTING_RAW_CLIENT_H_
