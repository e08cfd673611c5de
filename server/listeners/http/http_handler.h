// What an HTTP server asks its handler, and what it is told.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_HTTP_HANDLER_H_
#define VICINAL_SERVER_LISTENERS_HTTP_HTTP_HANDLER_H_

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vicinal {

struct HttpRequest {
  std::string_view method;  // "POST"
  std::string_view path;    // Without the query.
  // At least simdjson::SIMDJSON_PADDING bytes behind it are readable.
  std::string_view body;
  bool has_client_certificate = false;  // That the listener's CA has signed.
  // The certificate's common name; "" without one, or with several.
  std::string_view client_name = "";
  std::string_view if_none_match = "";  // The header; "" without.
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow = {};  // With status 405: the methods that are allowed.
  // More of them; the names in lower case.
  std::vector<std::pair<std::string, std::string>> headers = {};
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

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_HTTP_HANDLER_H_
