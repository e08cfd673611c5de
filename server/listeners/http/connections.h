// The connections of a server, for it to end those that do nothing.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_CONNECTIONS_H_
#define VICINAL_SERVER_LISTENERS_HTTP_CONNECTIONS_H_

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <set>

#include "absl/base/thread_annotations.h"
#include "core/sync/mutex.h"

namespace vicinal {

// Thread-safe.
class Connections {
 public:
  // One of them. All but the constructor and the destructor on its thread only.
  class Connection {
   public:
    // Both must outlive it.
    Connection(Connections& all, boost::asio::ip::tcp::socket& socket);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    // Whether it is to end as soon as it has answered.
    bool draining() const { return all_.draining_; }

    // Between requests: draining cancels what its socket waits for.
    void set_waiting(bool waiting) { *waiting_ = waiting ? &socket_ : nullptr; }

   private:
    friend class Connections;

    Connections& all_;
    boost::asio::ip::tcp::socket& socket_;
    const boost::asio::ip::tcp::socket::executor_type executor_;
    // The socket while it waits, otherwise null. Shared with the handlers that
    // Drain posts, which may come after the end.
    const std::shared_ptr<boost::asio::ip::tcp::socket*> waiting_ =
        std::make_shared<boost::asio::ip::tcp::socket*>(nullptr);
  };

  bool draining() const { return draining_; }

  // Ends those that wait for a request, from now on too.
  void Drain();

  // Waits until there is none, for up to `patience`.
  void Await(std::chrono::steady_clock::duration patience);

 private:
  std::atomic<bool> draining_ = false;
  Mutex mutex_;
  CondVar gone_;
  std::set<const Connection*> set_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_CONNECTIONS_H_
