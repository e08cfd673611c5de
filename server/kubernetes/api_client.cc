#include "server/kubernetes/api_client.h"

#include <glog/logging.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/kubernetes/bearer_token.h"
#include "server/kubernetes/current_config.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/frame.h"
#include "server/kubernetes/tls_context.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
// Beast fills the body string; reading takes its content out of it as it
// arrives.
using Parser = http::response_parser<http::string_body>;
using HttpRequest = http::request<http::string_body>;

constexpr size_t kReadBytes = 64 << 10;
constexpr uint32_t kMaxHeaderBytes = 64 << 10;
constexpr size_t kMaxErrorBodyBytes = 1 << 20;

absl::Status TransportError(const std::string& what, const error_code& error) {
  if (error == beast::error::timeout) {
    return absl::DeadlineExceededError(what + ": timed out");
  }
  return absl::UnavailableError(what + ": " + error.message());
}

// Finds a dead peer although it may rightly be silent, and lets it not keep
// bytes unacknowledged for long.
void KeepAlive(tcp::socket& socket, milliseconds unacknowledged) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  using Idle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using Interval =
      asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  using Count = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
  using Unacknowledged =
      asio::detail::socket_option::integer<IPPROTO_TCP, TCP_USER_TIMEOUT>;
  socket.set_option(Idle(30), ignored);
  socket.set_option(Interval(10), ignored);
  socket.set_option(Count(3), ignored);
  socket.set_option(Unacknowledged(static_cast<int>(unacknowledged.count())),
                    ignored);
}

std::string HostHeader(const ClientConfig& config) {
  const bool ipv6 = config.host.find(':') != std::string::npos;
  return absl::StrCat(ipv6 ? "[" : "", config.host, ipv6 ? "]" : "", ":",
                      config.port);
}

// Only the form in seconds; an API server does not send dates.
std::optional<std::chrono::seconds> RetryAfter(std::string_view value) {
  int64_t seconds = 0;
  const auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (error != std::errc() || end != value.data() + value.size() || seconds < 0)
    return {};
  return std::chrono::seconds(seconds);
}

void AddPadding(std::string& text) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
}

}  // namespace

class ApiClient::Impl {
 public:
  Impl(asio::any_io_executor executor, const ClientConfig& config,
       const ApiClientOptions& options, TlsContext tls_context)
      : executor_(std::move(executor)),
        current_(config),
        options_(options),
        address_(HostHeader(config)),
        token_(config.token, config.token_file) {
    UseContext(std::move(tls_context));
    TellExpiration();
  }

  Awaitable<absl::Status> Connect() {
    if (IsConnected()) co_return absl::OkStatus();
    Refresh();
    const absl::Status opened = co_await Open();
    co_return opened;
  }

  bool IsConnected() const { return connection_ != nullptr; }

  Awaitable<absl::StatusOr<ApiResponse>> Send(ApiRequest request) {
    absl::StatusOr<ApiResponse> response = co_await Start(std::move(request));
    if (!response.ok()) co_return response;
    const absl::Status read = co_await ReadBody(options_.max_body_bytes);
    if (!read.ok()) co_return read;
    response->body = TakeBody();
    co_return response;
  }

  Awaitable<void> AskAhead(std::string target) {
    if (connection_ == nullptr || parser_.has_value()) co_return;
    ApiRequest sent;
    sent.target = target;
    const absl::StatusOr<HttpRequest> request = MakeRequest(std::move(sent));
    if (!request.ok()) co_return;
    const absl::Status written = co_await Write(*request);
    if (written.ok()) asked_ahead_ = std::move(target);
  }

  Awaitable<absl::StatusOr<ApiResponse>> StartStream(std::string target) {
    ApiRequest request;
    request.target = std::move(target);
    absl::StatusOr<ApiResponse> response = co_await Start(std::move(request));
    if (!response.ok()) co_return response;
    if (response->status != 200) {
      const absl::Status read = co_await ReadBody(kMaxErrorBodyBytes);
      if (!read.ok()) co_return read;
      response->body = TakeBody();
      co_return response;
    }
    given_ = 0;
    searched_ = 0;
    stream_encoding_ = response->encoding;
    co_return response;
  }

  Encoding stream_encoding() const { return stream_encoding_; }

  Awaitable<absl::StatusOr<simdjson::padded_string_view>> NextDocuments() {
    if (!parser_.has_value())
      co_return absl::FailedPreconditionError("no stream");
    std::string& body = parser_->get().body();
    body.erase(0, given_);
    searched_ -= given_;
    given_ = 0;
    const bool framed = stream_encoding_ == Encoding::kProtobuf;
    for (;;) {
      const bool too_long = framed ? !FindFrames(body) : !FindLines(body);
      if (given_ > 0) break;
      if (too_long) {
        co_return Fail(absl::ResourceExhaustedError(absl::StrCat(
            framed ? "a frame is longer than " : "a line is longer than ",
            options_.max_line_bytes, " bytes")));
      }
      if (parser_->is_done()) {
        if (framed && !body.empty()) {
          co_return Fail(absl::DataLossError("the stream ends in a frame"));
        }
        given_ = body.size();
        break;
      }
      const absl::Status read = co_await ReadSome(std::nullopt);
      if (!read.ok()) co_return Fail(read);
    }
    if (given_ == 0) {
      Finish();
      co_return simdjson::padded_string_view();
    }
    if (!framed) AddPadding(body);
    co_return simdjson::padded_string_view(body.data(), given_,
                                           body.capacity());
  }

  std::chrono::steady_clock::time_point last_read() const { return last_read_; }

  void Close() {
    parser_.reset();
    connection_.reset();
  }

 private:
  struct Connection {
    explicit Connection(const asio::any_io_executor& executor)
        : plain(executor) {}

    beast::tcp_stream plain;       // moved into tls once it is connected
    std::optional<TlsStream> tls;  // with TLS only
    beast::flat_buffer buffer;     // read but not parsed

    beast::tcp_stream& lowest() {
      return tls.has_value() ? tls->next_layer() : plain;
    }
  };

  // Sets given_ to the end of the last whole document in the body, and
  // searched_ to how far it has looked. False: the next one is too long.
  bool FindLines(std::string_view body) {
    const size_t last = body.substr(searched_).rfind('\n');
    if (last != std::string_view::npos) given_ = searched_ + last + 1;
    searched_ = body.size();
    return body.size() <= options_.max_line_bytes;
  }
  bool FindFrames(std::string_view body) {
    while (HasFrame(body.substr(searched_))) {
      const size_t length = FrameLength(body.substr(searched_));
      if (length > options_.max_line_bytes) return false;
      searched_ += kFrameHeaderBytes + length;
      given_ = searched_;
    }
    const std::string_view rest = body.substr(searched_);
    return rest.size() < kFrameHeaderBytes ||
           FrameLength(rest) <= options_.max_line_bytes;
  }

  absl::StatusOr<HttpRequest> MakeRequest(ApiRequest sent) {
    const absl::StatusOr<std::string> token =
        token_.Get(std::chrono::steady_clock::now());
    if (!token.ok()) return token.status();
    HttpRequest request(http::verb::get,
                        current_.config().path_prefix + sent.target, 11,
                        std::move(sent.body));
    request.method_string(sent.method);
    request.set(http::field::host, address_);
    request.set(http::field::user_agent, options_.user_agent);
    request.set(http::field::accept, AcceptOf(options_.wanted));
    if (!token->empty())
      request.set(http::field::authorization, "Bearer " + *token);
    if (!request.body().empty()) {
      request.set(http::field::content_type, sent.content_type);
      request.prepare_payload();
    }
    return request;
  }

  // Sends the request and reads the head of the answer.
  Awaitable<absl::StatusOr<ApiResponse>> Start(ApiRequest sent) {
    const bool is_asked = !asked_ahead_.empty() && sent.method == "GET" &&
                          asked_ahead_ == sent.target;
    asked_ahead_.clear();
    if (connection_ == nullptr) Refresh();
    const absl::StatusOr<HttpRequest> made = MakeRequest(std::move(sent));
    if (!made.ok()) co_return made.status();
    const HttpRequest& request = *made;

    // A stream, or an answer asked for ahead, was left before its end.
    if (parser_.has_value() && !is_asked) Close();
    if (connection_ != nullptr) {
      // gcc 12 destroys a temporary of `c ? co_await a : co_await b` twice.
      absl::Status kept;
      if (is_asked) {
        kept = co_await ReadHead();
      } else {
        kept = co_await Exchange(request);
      }
      if (!kept.ok() && (answer_began_ || absl::IsDeadlineExceeded(kept)))
        co_return kept;
      if (!kept.ok()) {
        VLOG(1) << address_
                << ": the kept connection is gone: " << kept.message();
        Refresh();
      }
    }
    if (connection_ == nullptr) {
      const absl::Status opened = co_await Open();
      if (!opened.ok()) co_return opened;
      const absl::Status exchanged = co_await Exchange(request);
      if (!exchanged.ok()) co_return exchanged;
    }

    ApiResponse response;
    response.status = parser_->get().result_int();
    const auto retry_after = parser_->get().find(http::field::retry_after);
    if (retry_after != parser_->get().end()) {
      const beast::string_view value = retry_after->value();
      response.retry_after =
          RetryAfter(std::string_view(value.data(), value.size()));
    }
    const beast::string_view content_type =
        parser_->get()[http::field::content_type];
    response.encoding =
        EncodingOf(std::string_view(content_type.data(), content_type.size()));
    if (response.status == 401) {
      token_.Distrust();
      unauthorized_ = true;
    }
    co_return response;
  }

  // Leaves connection_ usable, or null and an error.
  Awaitable<absl::Status> Open() {
    const ClientConfig& config = current_.config();
    std::vector<tcp::endpoint> endpoints;
    error_code error;
    const asio::ip::address literal =
        asio::ip::make_address(config.host, error);
    if (!error) {
      endpoints.emplace_back(literal, config.port);
    } else {
      tcp::resolver resolver(executor_);
      const std::string port = std::to_string(config.port);
      const auto found = co_await resolver.async_resolve(
          config.host, port, asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return TransportError("look up " + config.host, error);
      for (const auto& entry : found) endpoints.push_back(entry.endpoint());
    }

    auto connection = std::make_unique<Connection>(executor_);
    for (const tcp::endpoint& endpoint : endpoints) {
      connection->plain.expires_after(options_.connect_timeout);
      co_await connection->plain.async_connect(
          endpoint, asio::redirect_error(asio::use_awaitable, error));
      if (!error) break;
      connection->plain.close();
    }
    if (error) co_return TransportError("connect to " + address_, error);
    KeepAlive(connection->plain.socket(), options_.unacknowledged_timeout);

    if (config.tls) {
      connection->tls.emplace(std::move(connection->plain), *tls_context_);
      TlsStream& tls = *connection->tls;
      const std::string& name =
          config.tls_server_name.empty() ? config.host : config.tls_server_name;
      const absl::Status expected =
          ExpectServerName(*tls.native_handle(), name);
      if (!expected.ok()) co_return expected;
      beast::get_lowest_layer(tls).expires_after(options_.handshake_timeout);
      co_await tls.async_handshake(
          asio::ssl::stream_base::client,
          asio::redirect_error(asio::use_awaitable, error));
      if (error) {
        const std::string problem =
            config.insecure_skip_tls_verify
                ? std::string()
                : CertificateProblem(*tls.native_handle());
        const std::string what = "TLS handshake with " + address_;
        if (problem.empty() || error == beast::error::timeout)
          co_return TransportError(what, error);
        co_return absl::UnavailableError(absl::StrCat(
            what, ": certificate of \"", name, "\" refused: ", problem));
      }
    }
    connection_ = std::move(connection);
    unauthorized_ = false;
    co_return absl::OkStatus();
  }

  // Before a new connection.
  void Refresh() {
    TlsContext context;
    if (!current_.Changed(&context)) return;
    UseContext(std::move(context));
    address_ = HostHeader(current_.config());
    token_ = BearerToken(current_.config().token, current_.config().token_file);
    TellExpiration();
  }

  void TellExpiration() const {
    const std::string& pem = current_.config().client_certificate_pem;
    if (pem.empty() || !options_.on_client_certificate) return;
    const absl::StatusOr<std::chrono::sys_seconds> end =
        CertificateExpiration(pem);
    if (end.ok()) options_.on_client_certificate(*end);
  }

  // For new connections; null changes nothing. asio's context takes the
  // ownership, and connections keep the one that they began with.
  void UseContext(TlsContext context) {
    if (context != nullptr) tls_context_.emplace(context.release());
  }

  // On error the connection is closed, and answer_began_ says whether the
  // server had begun to answer.
  Awaitable<absl::Status> Exchange(const HttpRequest& request) {
    const absl::Status written = co_await Write(request);
    if (!written.ok()) co_return written;
    const absl::Status read = co_await ReadHead();
    co_return read;
  }

  // As Exchange; then the parser is ready for the answer.
  Awaitable<absl::Status> Write(const HttpRequest& request) {
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(kMaxHeaderBytes);
    answer_began_ = false;

    error_code error;
    connection_->lowest().expires_after(options_.read_timeout);
    if (connection_->tls.has_value()) {
      co_await http::async_write(
          *connection_->tls, request,
          asio::redirect_error(asio::use_awaitable, error));
    } else {
      co_await http::async_write(
          connection_->plain, request,
          asio::redirect_error(asio::use_awaitable, error));
    }
    if (error) co_return Fail(TransportError("write to " + address_, error));
    co_return absl::OkStatus();
  }

  // As Exchange: reads until the head of the answer is complete.
  Awaitable<absl::Status> ReadHead() {
    const auto deadline =
        std::chrono::steady_clock::now() + options_.response_timeout;
    while (!parser_->is_header_done()) {
      const auto left = std::chrono::duration_cast<milliseconds>(
          deadline - std::chrono::steady_clock::now());
      const absl::Status read =
          co_await ReadSome(std::max(left, milliseconds(0)));
      if (!read.ok()) co_return Fail(read);
    }
    co_return absl::OkStatus();
  }

  // Reads until the whole answer is in the parser's body.
  Awaitable<absl::Status> ReadBody(size_t limit) {
    for (;;) {
      if (parser_->get().body().size() > limit) {
        co_return Fail(absl::ResourceExhaustedError(
            absl::StrCat("the answer is larger than ", limit, " bytes")));
      }
      if (parser_->is_done()) co_return absl::OkStatus();
      const absl::Status read = co_await ReadSome(options_.read_timeout);
      if (!read.ok()) co_return Fail(read);
    }
  }

  std::string TakeBody() {
    std::string body = std::move(parser_->get().body());
    AddPadding(body);
    Finish();
    return body;
  }

  // Reads what arrives next, at least a byte, and feeds it to the parser.
  Awaitable<absl::Status> ReadSome(std::optional<milliseconds> timeout) {
    beast::flat_buffer& buffer = connection_->buffer;
    error_code error;
    size_t count = 0;
    if (timeout.has_value()) {
      connection_->lowest().expires_after(*timeout);
    } else {
      connection_->lowest().expires_never();
    }
    const asio::mutable_buffer space = buffer.prepare(kReadBytes);
    if (connection_->tls.has_value()) {
      count = co_await connection_->tls->async_read_some(
          space, asio::redirect_error(asio::use_awaitable, error));
    } else {
      count = co_await connection_->plain.async_read_some(
          space, asio::redirect_error(asio::use_awaitable, error));
    }
    buffer.commit(count);
    if (count > 0) {
      answer_began_ = true;
      last_read_ = std::chrono::steady_clock::now();
    }
    if (error == asio::error::eof && answer_began_) {
      parser_->put_eof(error);
      if (error) co_return TransportError("read from " + address_, error);
      co_return absl::OkStatus();
    }
    if (error) co_return TransportError("read from " + address_, error);

    while (buffer.size() > 0 && !parser_->is_done()) {
      // Beast counts it down; here it bounds one Content-Length or one chunk.
      parser_->body_limit(options_.max_body_bytes);
      const size_t used = parser_->put(buffer.data(), error);
      buffer.consume(used);
      if (error == http::error::need_more) break;
      if (error) co_return TransportError("answer of " + address_, error);
    }
    co_return absl::OkStatus();
  }

  // The answer has been read whole: keeps the connection if the server does,
  // and has not refused the client, which may have another certificate by now.
  void Finish() {
    const bool keep = parser_->keep_alive() &&
                      connection_->buffer.size() == 0 && !unauthorized_;
    parser_.reset();
    if (!keep) Close();
  }

  absl::Status Fail(const absl::Status& why) {
    Close();
    return why;
  }

  const asio::any_io_executor executor_;
  CurrentConfig current_;
  const ApiClientOptions options_;
  std::string address_;
  std::optional<asio::ssl::context> tls_context_;
  BearerToken token_;

  std::unique_ptr<Connection> connection_;
  std::optional<Parser> parser_;  // of the answer that is being read
  bool answer_began_ = false;
  std::chrono::steady_clock::time_point last_read_;
  std::string asked_ahead_;    // The target whose answer is under way.
  bool unauthorized_ = false;  // by an answer on this connection
  // The stream's lines: the first given_ bytes of the body were handed out;
  // from there to searched_ there is no end of line.
  size_t given_ = 0;
  size_t searched_ = 0;
  Encoding stream_encoding_ = Encoding::kJson;
};

absl::StatusOr<std::unique_ptr<ApiClient>> ApiClient::Create(
    asio::any_io_executor executor, const ClientConfig& config,
    const ApiClientOptions& options) {
  TlsContext tls_context;
  if (config.tls) {
    absl::StatusOr<TlsContext> made = MakeTlsContext(config);
    if (!made.ok()) return made.status();
    tls_context = *std::move(made);
  }
  return std::unique_ptr<ApiClient>(new ApiClient(std::make_unique<Impl>(
      std::move(executor), config, options, std::move(tls_context))));
}

ApiClient::ApiClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ApiClient::~ApiClient() = default;

ApiClient::Awaitable<absl::Status> ApiClient::Connect() {
  return impl_->Connect();
}

bool ApiClient::IsConnected() const { return impl_->IsConnected(); }

ApiClient::Awaitable<absl::StatusOr<ApiResponse>> ApiClient::Get(
    std::string target) {
  ApiRequest request;
  request.target = std::move(target);
  return impl_->Send(std::move(request));
}

ApiClient::Awaitable<void> ApiClient::AskAhead(std::string target) {
  return impl_->AskAhead(std::move(target));
}

ApiClient::Awaitable<absl::StatusOr<ApiResponse>> ApiClient::Send(
    ApiRequest request) {
  return impl_->Send(std::move(request));
}

ApiClient::Awaitable<absl::StatusOr<ApiResponse>> ApiClient::StartStream(
    std::string target) {
  return impl_->StartStream(std::move(target));
}

ApiClient::Awaitable<absl::StatusOr<simdjson::padded_string_view>>
ApiClient::NextDocuments() {
  return impl_->NextDocuments();
}

Encoding ApiClient::stream_encoding() const { return impl_->stream_encoding(); }

std::chrono::steady_clock::time_point ApiClient::last_read() const {
  return impl_->last_read();
}

void ApiClient::Close() { impl_->Close(); }

}  // namespace vicinal
