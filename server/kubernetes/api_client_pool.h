// Requests to an API server, many at a time, on one thread.
#ifndef VICINAL_SERVER_KUBERNETES_API_CLIENT_POOL_H_
#define VICINAL_SERVER_KUBERNETES_API_CLIENT_POOL_H_

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "server/kubernetes/api_client.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Connections that are kept, and coroutines that take turns with them. A
// handshake costs the API server more than a binding: so who finds no free
// connection waits for one, and only if that takes too long another is opened.
// The connection that was used last is used first, and those that are not
// needed are closed, but for a few: a burst is to find them open, as client-go
// finds room for many requests on its one HTTP/2 connection.
class ApiClientPool {
 public:
  using Clock = std::chrono::steady_clock;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  struct Options {
    std::size_t max_connections = 256;
    // The longest wait for a free connection before another is opened.
    Clock::duration patience = std::chrono::milliseconds(20);
    // At a time: a server that is short of CPU is slow at handshakes, and gets
    // few of them.
    std::size_t max_opening = 2;
    // A connection that was not used for so long is closed, but for the last.
    Clock::duration max_idle = std::chrono::seconds(30);
    // So many are opened before anybody needs them, and not closed.
    std::size_t min_connections = 0;
    // One that is kept is asked something small when it was not used for so
    // long: API servers close what is silent for 90 s.
    Clock::duration max_silence = std::chrono::seconds(45);
  };

  // Errors: certificates or keys of the configuration that cannot be used.
  static absl::StatusOr<std::unique_ptr<ApiClientPool>> Create(
      const ClientConfig& config, const ApiClientOptions& client_options,
      const Options& options);
  // Ends the coroutines where they wait, and joins the thread.
  ~ApiClientPool();

  // Coroutines go no further from now on, and Run starts none.
  void Stop();

  // Runs a coroutine on the pool's thread. The function must stay callable for
  // as long as the coroutine runs, which the pool sees to. Thread-safe.
  void Run(std::function<Awaitable<void>()> coroutine);

  // The use of a connection, which it gives back when it is destroyed.
  class Lease {
   public:
    Lease(ApiClientPool& pool, std::unique_ptr<ApiClient> client)
        : pool_(&pool), client_(std::move(client)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (client_ != nullptr) pool_->GiveBack(std::move(client_));
    }
    ApiClient& operator*() const { return *client_; }
    ApiClient* operator->() const { return client_.get(); }

   private:
    ApiClientPool* pool_;
    std::unique_ptr<ApiClient> client_;
  };

  // Both in coroutines of the pool only. Take waits for a free connection;
  // first come, first served. If none can be opened, the first request over the
  // lease says why. Error: as of Create.
  Awaitable<absl::StatusOr<Lease>> Take();
  Awaitable<void> Sleep(Clock::duration duration);

  // For how long the coroutine has waited for a connection that waits longest.
  // Thread-safe.
  Clock::duration OldestWait() const;

 private:
  struct Waiter {
    boost::asio::steady_timer called;
    Clock::time_point since;
    absl::StatusOr<std::unique_ptr<ApiClient>> client;  // Once it is called.
  };
  struct Idle {
    std::unique_ptr<ApiClient> client;
    Clock::time_point since;
  };

  ApiClientPool(const ClientConfig& config,
                const ApiClientOptions& client_options, const Options& options);
  absl::StatusOr<std::unique_ptr<ApiClient>> NewClient();
  void GiveBack(std::unique_ptr<ApiClient> client);
  // The one that waits longest gets the client, or the error.
  void CallNext(absl::StatusOr<std::unique_ptr<ApiClient>> client);
  // Opens another connection if somebody has waited for too long, now or then.
  void OpenWhenDue();
  // Connects one that is counted as being opened, and gives it to who waits.
  // Whether it is connected.
  Awaitable<bool> Open();
  // Opens, closes and keeps alive what the options say; for ever.
  Awaitable<void> Tend();
  Awaitable<void> OpenThoseToKeep();
  Awaitable<void> KeepAlive();
  void CloseIdle();

  static constexpr Clock::rep kNobody = 0;

  const ClientConfig config_;
  const ApiClientOptions client_options_;
  const Options options_;
  std::atomic<Clock::rep> waiting_since_ = kNobody;
  std::optional<boost::asio::io_context> io_{std::in_place, 1};

  // The rest is of the pool's thread.
  bool stopping_ = false;
  std::size_t size_ = 0;     // Clients: lent, idle, or being opened.
  std::size_t opening_ = 0;  // Those that are.
  std::vector<Idle> idle_;   // The one that was used last is at the end.
  std::deque<std::shared_ptr<Waiter>> waiters_;
  // When the next is to be opened. Always there until the destructor, which
  // ends it before `io_`.
  std::optional<boost::asio::steady_timer> due_{std::in_place, *io_};

  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_CLIENT_POOL_H_
