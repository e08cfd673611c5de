#include "server/listeners/http/http_server.h"

#include <glog/logging.h>
#include <poll.h>
#include <simdjson.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/version.hpp>
#include <exception>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/model/json_writer.h"
#include "core/sync/mutex.h"
#include "server/kubernetes/x509.h"
#include "server/listeners/http/budget.h"
#include "server/listeners/http/endpoint.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Parser = http::request_parser<http::string_body>;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

// Awaits without exceptions: the error is stored in the given code.
auto Redirected(boost::system::error_code& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

std::string_view View(beast::string_view text) {
  return {text.data(), text.size()};
}

Response MakeResponse(HttpResponse answer, unsigned version, bool keep_alive) {
  Response response(static_cast<http::status>(answer.status), version);
  response.set(http::field::content_type, answer.content_type);
  if (!answer.allow.empty()) response.set(http::field::allow, answer.allow);
  response.keep_alive(keep_alive);
  response.body() = std::move(answer.body);
  response.prepare_payload();
  return response;
}

// Cancels what a socket waits for once its time is over. Unlike the timeout of
// beast::tcp_stream it leaves the socket open, for the client to be told. To be
// used on the socket's strand only.
class Deadline {
 public:
  // The socket must outlive the deadline.
  Deadline(tcp::socket& socket, std::chrono::steady_clock::duration timeout)
      : timer_(socket.get_executor(), timeout) {
    timer_.async_wait([&socket, state = state_](boost::system::error_code) {
      if (*state != State::kRunning) return;
      *state = State::kExpired;
      boost::system::error_code ignored;
      socket.cancel(ignored);
    });
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { *state_ = State::kGone; }

  bool expired() const { return *state_ == State::kExpired; }

 private:
  enum class State { kRunning, kExpired, kGone };

  // Shared with the timer's handler, which runs after the destructor.
  const std::shared_ptr<State> state_ =
      std::make_shared<State>(State::kRunning);
  asio::steady_timer timer_;
};

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
      // Runs after the wait has begun: both are on the connection's strand.
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

// Who shows a certificate that was signed by one that is trusted: its common
// name.
std::optional<std::string> ClientOf(TlsStream& stream) {
  X509* const certificate = SSL_get0_peer_certificate(stream.native_handle());
  if (certificate == nullptr ||
      SSL_get_verify_result(stream.native_handle()) != X509_V_OK) {
    return std::nullopt;
  }
  return CommonNameOf(*certificate);
}
std::optional<std::string> ClientOf(PlainStream&) { return std::nullopt; }

// An asio context on the same SSL_CTX. A connection made from it keeps what it
// needs of it.
asio::ssl::context ContextFor(ssl_ctx_st& context) {
  SSL_CTX_up_ref(&context);
  return asio::ssl::context(&context);
}

// The connections of a server, for it to end those that do nothing.
class Connections {
 public:
  // One of them. All but the constructor and the destructor on its strand only.
  class Connection {
   public:
    Connection(Connections& all, tcp::socket& socket)
        : all_(all), socket_(socket), executor_(socket.get_executor()) {
      const MutexLock lock(all_.mutex_);
      all_.set_.insert(this);
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() {
      set_waiting(false);
      const MutexLock lock(all_.mutex_);
      all_.set_.erase(this);
      all_.gone_.NotifyAll();
    }

    // The TLS context that has believed the client; null: no TLS.
    std::shared_ptr<ssl_ctx_st> believed_by;

    // Between requests.
    void set_waiting(bool waiting) { *waiting_ = waiting ? &socket_ : nullptr; }

   private:
    friend class Connections;

    Connections& all_;
    tcp::socket& socket_;
    const tcp::socket::executor_type executor_;
    // The socket while it waits, otherwise null. Shared with the handlers that
    // Drain posts, which may come after the end.
    const std::shared_ptr<tcp::socket*> waiting_ =
        std::make_shared<tcp::socket*>(nullptr);
  };

  bool draining() const { return draining_; }

  // Ends those that wait for a request, from now on too.
  void Drain() {
    draining_ = true;
    const MutexLock lock(mutex_);
    for (const Connection* connection : set_) {
      asio::post(connection->executor_, [waiting = connection->waiting_] {
        boost::system::error_code ignored;
        if (*waiting == nullptr) return;
        // What has arrived is under way, though not read yet.
        if ((*waiting)->available(ignored) > 0) return;
        (*waiting)->cancel(ignored);
      });
    }
  }

  // Waits until there is none.
  void Await(std::chrono::steady_clock::duration patience) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    const MutexLock lock(mutex_);
    while (!set_.empty() && gone_.WaitUntil(mutex_, limit)) {
    }
  }

 private:
  std::atomic<bool> draining_ = false;
  Mutex mutex_;
  CondVar gone_;
  std::set<const Connection*> set_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

HttpResponse ErrorResponse(unsigned status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.body = "{\"error\":";
  AppendJsonString(message, response.body);
  response.body += '}';
  return response;
}

class HttpServer::Impl {
 public:
  Impl(const Options& options, HttpHandler handler)
      : options_(options),
        handler_(std::move(handler)),
        connection_budget_(options.max_connections),
        unsent_budget_(options.max_unsent_bytes),
        acceptor_(asio::make_strand(context_)) {}

  // Returns the address that was bound.
  absl::StatusOr<std::string> Start() {
    const absl::StatusOr<Endpoint> address = ParseEndpoint(options_.address);
    if (!address.ok()) return address.status();
    boost::system::error_code error;
    const tcp::endpoint endpoint(asio::ip::make_address(address->host, error),
                                 address->port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) {
      acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    }
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) {
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
      return absl::UnavailableError("cannot listen on " + options_.address +
                                    ": " + error.message());
    }
    const std::uint16_t port = acceptor_.local_endpoint().port();
    asio::co_spawn(acceptor_.get_executor(), Accept(), asio::detached);
    for (int i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this] { Run(); });
    }
    return Endpoint{address->host, port}.ToString();
  }

  void Drain(std::chrono::steady_clock::duration patience) {
    connections_.Drain();
    asio::post(acceptor_.get_executor(), [this] {
      boost::system::error_code ignored;
      acceptor_.close(ignored);
    });
    connections_.Await(patience);
  }

  // Coroutines, and with them the connections, end with the context; a handler
  // that runs is let finish by the join.
  ~Impl() {
    context_.stop();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  // The body of the threads. Boost.Beast throws for some of what a client may
  // send, such as a trailer of more than 64 KiB: that ends the connection,
  // whose coroutine goes with what has thrown, and nothing else.
  void Run() {
    while (true) {
      try {
        context_.run();
        return;
      } catch (const std::exception& thrown) {
        LOG_EVERY_N(WARNING, 100)
            << options_.address << ": a connection is closed: " << thrown.what()
            << " (" << google::COUNTER << " so far; each 100th is logged)";
      }
    }
  }

  asio::awaitable<void> Accept() {
    while (true) {
      tcp::socket socket(asio::make_strand(context_));
      boost::system::error_code error;
      co_await acceptor_.async_accept(socket, Redirected(error));
      if (connections_.draining()) co_return;
      if (error) {
        // Out of descriptors, most likely: others must close first.
        LOG_EVERY_N(WARNING, 100) << "accept: " << error.message();
        asio::steady_timer timer(acceptor_.get_executor(),
                                 std::chrono::milliseconds(100));
        co_await timer.async_wait(Redirected(error));
        continue;
      }
      Budget::Share share = connection_budget_.Take(1);
      if (!share.ok()) {
        Refused("connections");
        continue;
      }
      socket.set_option(tcp::no_delay(true), error);
      const auto executor = socket.get_executor();
      PlainStream stream(std::move(socket));
      if (options_.tls == nullptr) {
        asio::co_spawn(executor, Serve(std::move(stream), std::move(share)),
                       asio::detached);
      } else {
        asio::co_spawn(executor, ServeTls(std::move(stream), std::move(share)),
                       asio::detached);
      }
    }
  }

  void Refused(const char* limit) {
    LOG_EVERY_N(WARNING, 100)
        << options_.address << ": too many " << limit << " at a time ("
        << google::COUNTER << " so far; each 100th is logged)";
    if (options_.on_refusal != nullptr) options_.on_refusal(limit);
  }

  // The share is held while the connection lasts.
  asio::awaitable<void> Serve(PlainStream stream, Budget::Share /*share*/) {
    Connections::Connection connection(connections_, stream.socket());
    co_await ServeRequests(stream, connection);
    boost::system::error_code ignored;
    stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  asio::awaitable<void> ServeTls(PlainStream plain, Budget::Share /*share*/) {
    std::shared_ptr<ssl_ctx_st> believed_by = options_.tls->context();
    asio::ssl::context context = ContextFor(*believed_by);
    TlsStream stream(std::move(plain), context);
    Connections::Connection connection(
        connections_, beast::get_lowest_layer(stream).socket());
    connection.believed_by = std::move(believed_by);
    if (!options_.tls->options().client_ca_file.empty()) {
      SSL_set_verify(stream.native_handle(),
                     SSL_VERIFY_PEER | (options_.require_client_certificate
                                            ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                                            : 0),
                     nullptr);
    }
    boost::system::error_code error;
    beast::get_lowest_layer(stream).expires_after(options_.handshake_timeout);
    co_await stream.async_handshake(asio::ssl::stream_base::server,
                                    Redirected(error));
    if (error) {
      LOG_EVERY_N(WARNING, 100)
          << "TLS handshake with a client: " << error.message() << " ("
          << google::COUNTER << " so far; each 100th is logged)";
      co_return;
    }
    co_await ServeRequests(stream, connection);
    beast::get_lowest_layer(stream).expires_after(std::chrono::seconds(1));
    co_await stream.async_shutdown(Redirected(error));
  }

  template <typename Stream>
  asio::awaitable<void> ServeRequests(Stream& stream,
                                      Connections::Connection& connection) {
    // It stays the same: clients cannot renegotiate.
    const std::optional<std::string> client = ClientOf(stream);
    beast::flat_buffer buffer;
    bool keep_alive = true;
    while (keep_alive) {
      keep_alive = co_await ServeRequest(stream, buffer, connection, client);
    }
  }

  // Whether the client's certificate is still good: it may have been revoked.
  bool IsStillBelieved(TlsStream& stream,
                       Connections::Connection& connection) const {
    const absl::Status believed = options_.tls->CheckClient(
        *stream.native_handle(), connection.believed_by);
    LOG_IF_EVERY_N(WARNING, !believed.ok(), 100)
        << options_.address
        << ": a client's connection is closed: " << believed.message() << " ("
        << google::COUNTER << " so far; each 100th is logged)";
    return believed.ok();
  }
  bool IsStillBelieved(PlainStream&, Connections::Connection&) const {
    return true;
  }

  // Reads one request and answers it. False: the connection is at its end.
  template <typename Stream>
  asio::awaitable<bool> ServeRequest(Stream& stream, beast::flat_buffer& buffer,
                                     Connections::Connection& connection,
                                     const std::optional<std::string>& client) {
    boost::system::error_code error;
    if (buffer.size() == 0) {
      // Either sees the draining here, or is seen waiting by it.
      connection.set_waiting(true);
      // What has arrived by then is answered.
      if (connections_.draining() &&
          beast::get_lowest_layer(stream).socket().available(error) == 0) {
        co_return false;
      }
      beast::get_lowest_layer(stream).expires_after(options_.idle_timeout);
      const std::size_t read = co_await stream.async_read_some(
          buffer.prepare(kReadBytes), Redirected(error));
      connection.set_waiting(false);
      if (error) co_return false;
      buffer.commit(read);
    }
    Parser parser;
    parser.body_limit(options_.max_body_bytes);
    parser.header_limit(static_cast<std::uint32_t>(options_.max_header_bytes));
    co_await ReadRequest(stream, buffer, parser, error);
    if (error) {
      HttpResponse refusal = ReadErrorResponse(error);
      if (refusal.status == 0) co_return false;
      Response response = MakeResponse(std::move(refusal), 11, false);
      beast::get_lowest_layer(stream).expires_after(options_.request_timeout);
      co_await http::async_write(stream, response, Redirected(error));
      if (!error) co_await DrainBriefly(stream, buffer);
      co_return false;
    }
    if (!IsStillBelieved(stream, connection)) co_return false;
    Request request = parser.release();
    HttpResponse answer = co_await Handle(
        request, client, beast::get_lowest_layer(stream).socket());
    const Budget::Share unsent = unsent_budget_.Take(answer.body.size());
    if (!unsent.ok()) {
      Refused("answers");
      answer = ErrorResponse(503, "too many answers are not read");
    }
    Response response =
        MakeResponse(std::move(answer), request.version(),
                     request.keep_alive() && !connections_.draining());
    if (request.method() == http::verb::head) response.body().clear();
    const bool keep_alive = response.keep_alive();
    beast::get_lowest_layer(stream).expires_after(options_.request_timeout);
    co_await http::async_write(stream, response, Redirected(error));
    co_return keep_alive && !error;
  }

  // Sets `error` to beast::error::timeout if the request does not arrive in its
  // time; the stream is still open then.
  template <typename Stream>
  asio::awaitable<void> ReadRequest(Stream& stream, beast::flat_buffer& buffer,
                                    Parser& parser,
                                    boost::system::error_code& error) {
    PlainStream& lowest = beast::get_lowest_layer(stream);
    const Deadline deadline(lowest.socket(), options_.request_timeout);
    // The deadline misses a read that begins just when it passes.
    lowest.expires_after(options_.request_timeout + std::chrono::seconds(1));
    co_await http::async_read_header(stream, buffer, parser, Redirected(error));
    if (!error &&
        beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      const http::response<http::empty_body> go_on(http::status::continue_,
                                                   parser.get().version());
      co_await http::async_write(stream, go_on, Redirected(error));
    }
    if (!error) {
      co_await http::async_read(stream, buffer, parser, Redirected(error));
    }
    if (error && deadline.expired()) error = beast::error::timeout;
  }

  asio::awaitable<HttpResponse> Handle(Request& request,
                                       const std::optional<std::string>& client,
                                       tcp::socket& socket) {
    std::string& body = request.body();
    body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    const std::string_view target = View(request.target());
    const HttpRequest question{
        View(request.method_string()), target.substr(0, target.find('?')), body,
        client.has_value(), client ? std::string_view(*client) : ""};
    if (options_.async_handler == nullptr) co_return handler_(question);
    PendingAnswer pending(socket);
    const auto state = pending.state();
    const HttpCaller caller{std::chrono::steady_clock::now(),
                            [state] { return state->IsGone(); }};
    if (!options_.async_handler(question, caller, [state](HttpResponse answer) {
          state->Answer(std::move(answer));
        })) {
      co_return handler_(question);
    }
    co_return co_await pending.Await();
  }

  // Lets a client that is still sending see the refusal: closing with unread
  // input would reset the connection under it.
  template <typename Stream>
  asio::awaitable<void> DrainBriefly(Stream& stream,
                                     beast::flat_buffer& buffer) {
    boost::system::error_code error;
    PlainStream& lowest = beast::get_lowest_layer(stream);
    lowest.socket().shutdown(tcp::socket::shutdown_send, error);
    lowest.expires_after(std::chrono::seconds(2));
    while (!error) {
      buffer.clear();
      const std::size_t read = co_await stream.async_read_some(
          buffer.prepare(kReadBytes), Redirected(error));
      if (read == 0) break;
    }
  }

  static constexpr std::size_t kReadBytes = 64 << 10;

  const Options options_;
  const HttpHandler handler_;
  Budget connection_budget_;  // These two outlive the coroutines, too.
  Budget unsent_budget_;
  Connections connections_;  // Outlives the coroutines, which are in context_.
  asio::io_context context_;
  tcp::acceptor acceptor_;
  std::vector<std::thread> threads_;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const Options& options, HttpHandler handler) {
  auto impl = std::make_unique<Impl>(options, std::move(handler));
  absl::StatusOr<std::string> address = impl->Start();
  if (!address.ok()) return address.status();
  return std::unique_ptr<HttpServer>(
      new HttpServer(*std::move(address), std::move(impl)));
}

HttpServer::HttpServer(std::string address, std::unique_ptr<Impl> impl)
    : address_(std::move(address)), impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

void HttpServer::Drain(std::chrono::steady_clock::duration patience) {
  if (impl_ != nullptr) impl_->Drain(patience);
}

void HttpServer::Stop() { impl_.reset(); }

}  // namespace vicinal
