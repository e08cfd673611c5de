// The protocol of one HTTP/2 connection, without its I/O: bytes in and requests
// out, answers in and bytes out. By nghttp2 (RFC 9113).
//
//   Http2Session session(limits, now);
//   if (!session.Receive(bytes, now).ok()) …the connection ends
//   for (Http2Session::Request& request : session.TakeRequests()) …
//   session.Answer(stream, answer, share, now);
//   session.AppendOutput(output);  // After each of these.
//
// A request that breaks a limit is answered with status 413 or 431, one that
// does not arrive in its time with 408; the others of the connection go on.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_HTTP2_SESSION_H_
#define VICINAL_SERVER_LISTENERS_HTTP_HTTP2_SESSION_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "server/listeners/http/budget.h"
#include "server/listeners/http/http_handler.h"

struct nghttp2_session;

namespace vicinal {

// Not thread-safe.
class Http2Session {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Of one connection at a time; the client opens another for more, or waits.
  static constexpr std::size_t kMaxStreams = 250;

  struct Limits {
    std::size_t max_header_bytes;  // Of a request, as RFC 9113 counts them.
    // Of all requests together that are not answered yet.
    std::size_t max_body_bytes;
    // From the first byte of a request to its last, and for taking an answer.
    std::chrono::steady_clock::duration timeout;
  };

  // A whole request.
  struct Request {
    std::int32_t stream;
    std::string method;
    std::string path;  // With the query.
    std::string body;
    // Whether nobody waits for the answer any longer.
    std::shared_ptr<const std::atomic<bool>> is_gone;
    std::string if_none_match = {};  // The header.
  };

  explicit Http2Session(const Limits& limits);
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;
  // Nobody waits for an answer after it.
  ~Http2Session();

  // Takes what has arrived. An error ends the connection: InvalidArgument if
  // the client speaks no HTTP/2, or floods it with what has to be acknowledged.
  // Only AppendOutput is of use then: it may tell the client why.
  absl::Status Receive(std::string_view bytes, TimePoint now);

  // The requests that have become whole since the last call. Each is to be
  // answered, also when nobody waits for it any longer.
  std::vector<Request> TakeRequests();

  // The share is held until the answer is sent, or cannot be.
  void Answer(std::int32_t stream, HttpResponse answer, Budget::Share share,
              TimePoint now);

  // Ends the requests and the answers whose time is over.
  void Expire(TimePoint now);

  // Takes no new requests, and tells the client so; those that it has begun go
  // on. A second call does nothing.
  void GoAway();

  // Appends what is to be sent next, at least 64 KiB if there is so much.
  void AppendOutput(std::string& output);

  // Whether a request is arriving, is being answered, or its answer being sent.
  bool busy() const { return !streams_.empty(); }

  // Whether neither side will say anything more.
  bool at_end() const;

 private:
  // One request with its answer.
  struct Stream {
    TimePoint since;  // When it began; once answered, when that was.
    std::string method;
    std::string path;
    std::string if_none_match;
    std::string body;
    std::size_t header_bytes = 0;
    std::size_t held_bytes = 0;  // Of the body, also after it was handed out.
    bool whole = false;          // All of it is there.
    bool asked = false;          // Its answer is still to come.
    bool answered = false;       // It is being sent.
    bool closed = false;         // Nothing more can be sent.
    HttpResponse answer;
    std::size_t sent = 0;  // Bytes of the answer's body.
    std::unique_ptr<Budget::Share> share;
    std::shared_ptr<std::atomic<bool>> is_gone =
        std::make_shared<std::atomic<bool>>(false);
  };

  // nghttp2's callbacks.
  struct Callbacks;
  struct Deleter {
    void operator()(nghttp2_session* session) const;
  };

  Stream* Find(std::int32_t id);
  void Finish(std::int32_t id, Stream& stream);
  void Refuse(std::int32_t id, Stream& stream, unsigned status,
              std::string_view message);
  void Submit(std::int32_t id, Stream& stream);
  void Release(Stream& stream);

  const Limits limits_;
  std::unordered_map<std::int32_t, Stream> streams_;
  std::vector<Request> whole_requests_;
  std::size_t held_bytes_ = 0;  // The sum of the streams'.
  TimePoint now_;               // Of the call that runs.
  bool going_away_ = false;
  std::unique_ptr<nghttp2_session, Deleter> session_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_HTTP2_SESSION_H_
