#include "server/listeners/http/connections.h"

#include <boost/asio/post.hpp>

namespace vicinal {

Connections::Connection::Connection(Connections& all,
                                    boost::asio::ip::tcp::socket& socket)
    : all_(all), socket_(socket), executor_(socket.get_executor()) {
  const MutexLock lock(all_.mutex_);
  all_.set_.insert(this);
}

Connections::Connection::~Connection() {
  set_waiting(false);
  const MutexLock lock(all_.mutex_);
  all_.set_.erase(this);
  all_.gone_.NotifyAll();
}

void Connections::Drain() {
  draining_ = true;
  const MutexLock lock(mutex_);
  for (const Connection* connection : set_) {
    boost::asio::post(connection->executor_, [waiting = connection->waiting_] {
      boost::system::error_code ignored;
      if (*waiting == nullptr) return;
      // What has arrived is under way, though not read yet.
      if ((*waiting)->available(ignored) > 0) return;
      (*waiting)->cancel(ignored);
    });
  }
}

void Connections::Await(std::chrono::steady_clock::duration patience) {
  const auto limit = std::chrono::steady_clock::now() + patience;
  const MutexLock lock(mutex_);
  while (!set_.empty() && gone_.WaitUntil(mutex_, limit)) {
  }
}

}  // namespace vicinal
