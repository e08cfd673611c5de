// The bytes of an HTTP/2 connection after its preface, as they arrive in two
// pieces; each request is answered at once.
#include <glog/logging.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "server/listeners/http/budget.h"
#include "server/listeners/http/http2_session.h"
#include "server/listeners/http/http_handler.h"

namespace vicinal {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kUnsentBytes = 1 << 20;

void Receive(Http2Session& session, std::string_view bytes, Budget& unsent) {
  const Http2Session::TimePoint now{};
  const absl::Status status = session.Receive(bytes, now);
  for (const Http2Session::Request& request : session.TakeRequests()) {
    HttpResponse answer{200, "text/plain", request.method + request.body};
    Budget::Share share = unsent.Take(answer.body.size());
    session.Answer(request.stream, std::move(answer), std::move(share), now);
  }
  std::string output;
  session.AppendOutput(output);
  if (!status.ok()) return;
  session.Expire(now + std::chrono::hours(1));
  session.AppendOutput(output);
}

}  // namespace
}  // namespace vicinal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using vicinal::Budget;
  using vicinal::Http2Session;
  Budget unsent(vicinal::kUnsentBytes);
  {
    Http2Session session({.max_header_bytes = 4096,
                          .max_body_bytes = 4096,
                          .timeout = std::chrono::seconds(30)});
    std::string bytes(vicinal::kPreface);
    bytes.append(reinterpret_cast<const char*>(data), size);
    const std::size_t half = bytes.size() / 2;
    vicinal::Receive(session, std::string_view(bytes).substr(0, half), unsent);
    vicinal::Receive(session, std::string_view(bytes).substr(half), unsent);
  }
  CHECK(unsent.Take(vicinal::kUnsentBytes).ok()) << "an answer's room is lost";
  return 0;
}
