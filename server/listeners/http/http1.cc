#include "server/listeners/http/http1.h"

#include <poll.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "core/sync/mutex.h"
#include "server/listeners/http/deadline.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Parser = http::request_parser<http::string_body>;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

std::string_view View(beast::string_view text) {
  return {text.data(), text.size()};
}

Response MakeResponse(HttpResponse answer, unsigned version, bool keep_alive) {
  Response response(static_cast<http::status>(answer.status), version);
  response.set(http::field::content_type, answer.content_type);
  if (!answer.allow.empty()) response.set(http::field::allow, answer.allow);
  for (const auto& [name, value] : answer.headers) response.set(name, value);
  response.keep_alive(keep_alive);
  response.body() = std::move(answer.body);
  response.prepare_payload();
  // It would be that of the body which is not sent.
  if (answer.status == 304) response.erase(http::field::content_length);
  return response;
}

// An answer that a coroutine of a connection waits for, and others give.
class PendingAnswer {
 public:
  // Shared with those who answer, who may be late.
  class State : public std::enable_shared_from_this<State> {
   public:
    bool IsGone() {
      const MutexLock lock(mutex_);
      if (pending_ == nullptr) return true;
      pollfd poll{pending_->socket_.native_handle(), POLLRDHUP, 0};
      return ::poll(&poll, 1, 0) != 0;
    }

    void Answer(HttpResponse answer) {
      const MutexLock lock(mutex_);
      if (pending_ == nullptr) return;
      answer_ = std::move(answer);
      // Runs after the wait has begun: both are on the connection's thread.
      asio::post(pending_->socket_.get_executor(),
                 [state = shared_from_this()] {
                   const MutexLock lock(state->mutex_);
                   if (state->pending_ != nullptr) {
                     state->pending_->answered_.cancel();
                   }
                 });
    }

   private:
    friend class PendingAnswer;

    Mutex mutex_;
    // Null: it is no longer waited for.
    PendingAnswer* pending_ ABSL_GUARDED_BY(mutex_) = nullptr;
    HttpResponse answer_ ABSL_GUARDED_BY(mutex_);
  };

  // The socket must outlive it.
  explicit PendingAnswer(tcp::socket& socket)
      : socket_(socket),
        answered_(socket.get_executor(),
                  std::chrono::steady_clock::time_point::max()) {
    const MutexLock lock(state_->mutex_);
    state_->pending_ = this;
  }
  PendingAnswer(const PendingAnswer&) = delete;
  PendingAnswer& operator=(const PendingAnswer&) = delete;
  ~PendingAnswer() {
    const MutexLock lock(state_->mutex_);
    state_->pending_ = nullptr;
  }

  const std::shared_ptr<State>& state() const { return state_; }

  // To be awaited once.
  asio::awaitable<HttpResponse> Await() {
    boost::system::error_code answered;
    co_await answered_.async_wait(Redirected(answered));
    const MutexLock lock(state_->mutex_);
    co_return std::move(state_->answer_);
  }

 private:
  tcp::socket& socket_;
  asio::steady_timer answered_;  // Cancelled once it is.
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

// What to answer when the request could not be read; status 0: nothing.
HttpResponse ReadErrorResponse(const boost::system::error_code& error) {
  if (error == http::error::body_limit) {
    return ErrorResponse(413, "request body is too large");
  }
  if (error == http::error::header_limit) {
    return ErrorResponse(431, "request header is too large");
  }
  if (error == beast::error::timeout) {
    return ErrorResponse(408, "request took too long to arrive");
  }
  if (error.category() ==
          http::make_error_code(http::error::bad_version).category() &&
      error != http::error::end_of_stream &&
      error != http::error::partial_message) {
    return ErrorResponse(400, "malformed HTTP: " + error.message());
  }
  HttpResponse none;
  none.status = 0;
  return none;
}

// One connection, whose members outlive its coroutines.
template <typename Stream>
class Http1 {
 public:
  Http1(ServerContext& context, Connections::Connection& connection, Peer& peer,
        Stream& stream)
      : context_(context),
        options_(context.options),
        connection_(connection),
        peer_(peer),
        stream_(stream) {}

  asio::awaitable<void> Serve() {
    bool keep_alive = true;
    while (keep_alive) keep_alive = co_await ServeRequest();
  }

 private:
  PlainStream& lowest() { return beast::get_lowest_layer(stream_); }

  // Reads one request and answers it. False: the connection is at its end.
  asio::awaitable<bool> ServeRequest() {
    boost::system::error_code error;
    if (buffer_.size() == 0) {
      // Either sees the draining here, or is seen waiting by it.
      connection_.set_waiting(true);
      // What has arrived by then is answered.
      if (connection_.draining() && lowest().socket().available(error) == 0) {
        co_return false;
      }
      lowest().expires_after(options_.idle_timeout);
      const std::size_t read = co_await stream_.async_read_some(
          buffer_.prepare(kReadBytes), Redirected(error));
      connection_.set_waiting(false);
      if (error) co_return false;
      buffer_.commit(read);
    }
    Parser parser;
    parser.body_limit(options_.max_body_bytes);
    parser.header_limit(static_cast<std::uint32_t>(options_.max_header_bytes));
    co_await ReadRequest(parser, error);
    if (error) {
      HttpResponse refusal = ReadErrorResponse(error);
      if (refusal.status == 0) co_return false;
      Response response = MakeResponse(std::move(refusal), 11, false);
      lowest().expires_after(options_.request_timeout);
      co_await http::async_write(stream_, response, Redirected(error));
      if (!error) co_await DrainBriefly();
      co_return false;
    }
    if (!context_.IsBelieved(peer_)) co_return false;
    Request request = parser.release();
    HttpResponse answer = co_await Handle(request);
    const Budget::Share unsent = context_.TakeUnsent(answer);
    Response response =
        MakeResponse(std::move(answer), request.version(),
                     request.keep_alive() && !connection_.draining());
    if (request.method() == http::verb::head) response.body().clear();
    const bool keep_alive = response.keep_alive();
    lowest().expires_after(options_.request_timeout);
    co_await http::async_write(stream_, response, Redirected(error));
    co_return keep_alive && !error;
  }

  // Sets `error` to beast::error::timeout if the request does not arrive in its
  // time; the stream is still open then.
  asio::awaitable<void> ReadRequest(Parser& parser,
                                    boost::system::error_code& error) {
    const Deadline deadline(lowest().socket(), options_.request_timeout);
    // The deadline misses a read that begins just when it passes.
    lowest().expires_after(options_.request_timeout + std::chrono::seconds(1));
    co_await http::async_read_header(stream_, buffer_, parser,
                                     Redirected(error));
    if (!error &&
        beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      const http::response<http::empty_body> go_on(http::status::continue_,
                                                   parser.get().version());
      co_await http::async_write(stream_, go_on, Redirected(error));
    }
    if (!error) {
      co_await http::async_read(stream_, buffer_, parser, Redirected(error));
    }
    if (error && deadline.expired()) error = beast::error::timeout;
  }

  asio::awaitable<HttpResponse> Handle(Request& request) {
    PendingAnswer pending(lowest().socket());
    const auto state = pending.state();
    const HttpCaller caller{std::chrono::steady_clock::now(),
                            [state] { return state->IsGone(); }};
    context_.Ask({std::string(View(request.method_string())),
                  std::string(View(request.target())),
                  std::move(request.body()), peer_.has_certificate(), name_,
                  std::string(View(request[http::field::if_none_match]))},
                 caller, [state](HttpResponse answer) {
                   state->Answer(std::move(answer));
                 });
    co_return co_await pending.Await();
  }

  // Lets a client that is still sending see the refusal: closing with unread
  // input would reset the connection under it.
  asio::awaitable<void> DrainBriefly() {
    boost::system::error_code error;
    lowest().socket().shutdown(tcp::socket::shutdown_send, error);
    lowest().expires_after(std::chrono::seconds(2));
    while (!error) {
      buffer_.clear();
      const std::size_t read = co_await stream_.async_read_some(
          buffer_.prepare(kReadBytes), Redirected(error));
      if (read == 0) break;
    }
  }

  ServerContext& context_;
  const HttpOptions& options_;
  Connections::Connection& connection_;
  Peer& peer_;
  Stream& stream_;
  const std::shared_ptr<const std::string> name_ =  // Of the client.
      std::make_shared<const std::string>(peer_.name());
  beast::flat_buffer buffer_;  // What has arrived and is not parsed yet.
};

}  // namespace

asio::awaitable<void> ServeHttp1(ServerContext& context,
                                 Connections::Connection& connection,
                                 Peer& peer, PlainStream& stream) {
  Http1<PlainStream> http1(context, connection, peer, stream);
  co_await http1.Serve();
}

asio::awaitable<void> ServeHttp1(ServerContext& context,
                                 Connections::Connection& connection,
                                 Peer& peer, TlsStream& stream) {
  Http1<TlsStream> http1(context, connection, peer, stream);
  co_await http1.Serve();
}

}  // namespace vicinal
