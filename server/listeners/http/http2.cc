#include "server/listeners/http/http2.h"

#include <glog/logging.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/sync/mutex.h"
#include "server/listeners/http/deadline.h"
#include "server/listeners/http/http2_session.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::steady_clock;

// How often it is looked for requests whose time is over, at least.
constexpr steady_clock::duration kWatchPeriod = std::chrono::seconds(1);

class Http2;

// Where a connection's answers are left, by any thread. Outlives it.
class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  explicit Mailbox(Http2& connection) : connection_(&connection) {}

  // Drops it if the connection is gone.
  void Put(std::int32_t stream, HttpResponse answer);

  void Close() {
    const MutexLock lock(mutex_);
    connection_ = nullptr;
  }

 private:
  // On the connection's thread.
  void Deliver();

  Mutex mutex_;
  // Null: it is gone, and with it perhaps what its thread needs.
  Http2* connection_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<std::int32_t, HttpResponse>> answers_
      ABSL_GUARDED_BY(mutex_);
};

// The answer to one request: the first that is given, and an error if all who
// could give one are gone.
class Reply {
 public:
  Reply(std::shared_ptr<Mailbox> mailbox, std::int32_t stream)
      : mailbox_(std::move(mailbox)), stream_(stream) {}
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  // What it may throw is for lack of memory, which ends the process.
  // NOLINTNEXTLINE(bugprone-exception-escape)
  ~Reply() { Give(ErrorResponse(503, "the request was given up")); }

  void Give(HttpResponse answer) {
    if (!given_.exchange(true)) mailbox_->Put(stream_, std::move(answer));
  }

 private:
  const std::shared_ptr<Mailbox> mailbox_;
  const std::int32_t stream_;
  std::atomic<bool> given_ = false;
};

// One connection. All on its thread; one coroutine reads, one writes and one
// looks at the clock.
class Http2 {
 public:
  Http2(ServerContext& context, Connections::Connection& connection, Peer& peer,
        TlsStream& stream)
      : context_(context),
        connection_(connection),
        peer_(peer),
        stream_(stream),
        executor_(stream.get_executor()),
        session_({.max_header_bytes = context.options.max_header_bytes,
                  .max_body_bytes = context.options.max_body_bytes,
                  .timeout = context.options.request_timeout}),
        output_changed_(executor_, steady_clock::time_point::max()),
        watch_(executor_),
        child_ended_(executor_, steady_clock::time_point::max()) {}
  Http2(const Http2&) = delete;
  Http2& operator=(const Http2&) = delete;
  ~Http2() { mailbox_->Close(); }

  asio::awaitable<void> Serve() {
    // Reads and writes run at the same time: each has its own timer.
    lowest().expires_never();
    Spawn(Write());
    Spawn(Watch());
    try {
      co_await Read();
    } catch (const std::exception& thrown) {
      LOG(WARNING) << context_.options.address
                   << ": a connection is closed: " << thrown.what();
    }
    End();
    while (children_ > 0) {
      boost::system::error_code ended;
      co_await child_ended_.async_wait(Redirected(ended));
    }
  }

  const asio::any_io_executor& executor() const { return executor_; }

  void Answer(std::int32_t stream, HttpResponse answer) {
    Budget::Share share = context_.TakeUnsent(answer);
    session_.Answer(stream, std::move(answer), std::move(share),
                    steady_clock::now());
    Update();
  }

 private:
  PlainStream& lowest() { return boost::beast::get_lowest_layer(stream_); }

  void Spawn(asio::awaitable<void> child) {
    ++children_;
    asio::co_spawn(executor_, std::move(child),
                   [this](const std::exception_ptr& thrown) {
                     --children_;
                     child_ended_.cancel();
                     End();
                     if (thrown) std::rethrow_exception(thrown);
                   });
  }

  asio::awaitable<void> Read() {
    std::string buffer(kReadBytes, '\0');
    Update();
    while (!ended_) {
      boost::system::error_code error;
      const std::size_t read = co_await stream_.async_read_some(
          asio::buffer(buffer), Redirected(error));
      if (error) break;
      const absl::Status status = session_.Receive(
          std::string_view(buffer).substr(0, read), steady_clock::now());
      if (!status.ok()) {
        LOG_EVERY_N(WARNING, 100)
            << context_.options.address << ": " << status.message() << " ("
            << google::COUNTER << " so far; each 100th is logged)";
        break;
      }
      for (Http2Session::Request& request : session_.TakeRequests()) {
        last_request_ = steady_clock::now();
        // The others of this connection are the same client's.
        if (!context_.IsBelieved(peer_)) co_return;
        Dispatch(std::move(request));
      }
      Update();
    }
    if (connection_.draining()) session_.GoAway();
  }

  // Until the connection ends, and then what is left to be told.
  asio::awaitable<void> Write() {
    std::string output;
    while (true) {
      Update();
      output.clear();
      session_.AppendOutput(output);
      boost::system::error_code error;
      if (!output.empty()) {
        const Deadline deadline(lowest().socket(),
                                context_.options.request_timeout);
        writing_ = true;
        co_await asio::async_write(stream_, asio::buffer(output),
                                   Redirected(error));
        writing_ = false;
        if (error) co_return;
      } else if (ended_) {
        co_return;
      } else {
        co_await output_changed_.async_wait(Redirected(error));
      }
    }
  }

  asio::awaitable<void> Watch() {
    const steady_clock::duration period = std::min<steady_clock::duration>(
        kWatchPeriod, context_.options.request_timeout / 4);
    while (!ended_) {
      watch_.expires_after(period);
      boost::system::error_code error;
      co_await watch_.async_wait(Redirected(error));
      const steady_clock::time_point now = steady_clock::now();
      session_.Expire(now);
      if (!session_.busy() &&
          now - last_request_ > context_.options.idle_timeout) {
        session_.GoAway();
        End();
      }
      Update();
    }
  }

  void Dispatch(Http2Session::Request request) {
    const HttpCaller caller{
        last_request_, [is_gone = request.is_gone] { return is_gone->load(); }};
    auto reply = std::make_shared<Reply>(mailbox_, request.stream);
    context_.Ask({std::move(request.method), std::move(request.path),
                  std::move(request.body), peer_.has_certificate(), name_,
                  std::move(request.if_none_match)},
                 caller, [reply = std::move(reply)](HttpResponse answer) {
                   reply->Give(std::move(answer));
                 });
  }

  // To be called after anything has been done to the session.
  void Update() {
    connection_.set_waiting(!session_.busy() && !writing_);
    if (connection_.draining()) {
      session_.GoAway();
      if (!session_.busy()) End();
    }
    if (session_.at_end()) End();
    output_changed_.cancel();
  }

  // Ends the reading; what is to be written still is.
  void End() {
    if (std::exchange(ended_, true)) return;
    boost::system::error_code ignored;
    lowest().socket().shutdown(tcp::socket::shutdown_receive, ignored);
    output_changed_.cancel();
    watch_.cancel();
  }

  ServerContext& context_;
  Connections::Connection& connection_;
  Peer& peer_;
  TlsStream& stream_;
  const asio::any_io_executor executor_;
  const std::shared_ptr<const std::string> name_ =  // Of the client.
      std::make_shared<const std::string>(peer_.name());
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>(*this);
  Http2Session session_;
  bool ended_ = false;    // No more is read.
  bool writing_ = false;  // The stream is being written to.
  steady_clock::time_point last_request_ = steady_clock::now();
  asio::steady_timer output_changed_;  // Cancelled when it may have.
  asio::steady_timer watch_;
  int children_ = 0;                // The coroutines beside Serve that run.
  asio::steady_timer child_ended_;  // Cancelled when one has.
};

void Mailbox::Put(std::int32_t stream, HttpResponse answer) {
  const MutexLock lock(mutex_);
  if (connection_ == nullptr) return;
  answers_.emplace_back(stream, std::move(answer));
  // To go on by the same thread if it is one of the server.
  asio::defer(connection_->executor(),
              [self = shared_from_this()] { self->Deliver(); });
}

void Mailbox::Deliver() {
  std::vector<std::pair<std::int32_t, HttpResponse>> answers;
  Http2* connection = nullptr;
  {
    const MutexLock lock(mutex_);
    answers.swap(answers_);
    connection = connection_;  // It ends on this thread only.
  }
  if (connection == nullptr) return;
  for (auto& [stream, answer] : answers) {
    connection->Answer(stream, std::move(answer));
  }
}

}  // namespace

asio::awaitable<void> ServeHttp2(ServerContext& context,
                                 Connections::Connection& connection,
                                 Peer& peer, TlsStream& stream) {
  Http2 http2(context, connection, peer, stream);
  co_await http2.Serve();
}

}  // namespace vicinal
