// A time after which a socket's reads and writes are cancelled.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_DEADLINE_H_
#define VICINAL_SERVER_LISTENERS_HTTP_DEADLINE_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>

namespace vicinal {

// Cancels what a socket waits for once its time is over. Unlike the timeout of
// beast::tcp_stream it leaves the socket open, for the client to be told. To be
// used on the socket's thread only.
class Deadline {
 public:
  // The socket must outlive the deadline.
  Deadline(boost::asio::ip::tcp::socket& socket,
           std::chrono::steady_clock::duration timeout)
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
  boost::asio::steady_timer timer_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_DEADLINE_H_
