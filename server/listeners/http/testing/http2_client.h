// The client's side of an HTTP/2 connection, without its I/O, for tests.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_TESTING_HTTP2_CLIENT_H_
#define VICINAL_SERVER_LISTENERS_HTTP_TESTING_HTTP2_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct nghttp2_session;

namespace vicinal {

struct Http2Answer {
  int status = 0;                             // 0: none yet.
  std::map<std::string, std::string> fields;  // The header's.
  std::string body;
  bool closed = false;
  std::uint32_t error = 0;  // What it was closed with.
};

// Ends the test program where the server breaks the protocol. Not thread-safe.
class Http2Client {
 public:
  // With how much of an answer, and of all together if it is more than 64 KiB,
  // it takes before it has read it.
  explicit Http2Client(std::int32_t window = 1 << 20);
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;
  ~Http2Client();

  // Begins a request, and returns its stream.
  std::int32_t Ask(std::string_view method, std::string_view path,
                   std::string_view body = "");
  // The same, which only goes on when it is told to.
  std::int32_t AskSlowly(std::string_view path);
  void GoOn(std::int32_t stream, std::string_view body, bool end);
  // With further fields in its header.
  std::int32_t AskWith(
      std::string_view path,
      const std::vector<std::pair<std::string, std::string>>& fields);
  void Cancel(std::int32_t stream);
  void Ping();

  // What is to be sent now.
  std::string Output();
  // Takes what the server has sent.
  void Receive(std::string_view bytes);

  const Http2Answer& answer(std::int32_t stream) const;
  int pings_answered() const { return pings_answered_; }
  // Whether the server takes no more requests.
  bool was_told_to_go_away() const { return told_to_go_away_; }

 private:
  struct Callbacks;
  struct Body {
    std::string bytes;
    std::size_t sent = 0;
    bool whole = true;
  };
  struct Deleter {
    void operator()(nghttp2_session* session) const;
  };

  std::int32_t Submit(
      std::string_view method, std::string_view path, Body body,
      const std::vector<std::pair<std::string, std::string>>& more);

  std::unique_ptr<nghttp2_session, Deleter> session_;
  std::map<std::int32_t, Body> bodies_;
  std::map<std::int32_t, Http2Answer> answers_;
  int pings_answered_ = 0;
  bool told_to_go_away_ = false;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_TESTING_HTTP2_CLIENT_H_
