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

// Connections that are kept, and coroutines that take turns with them. The
// connection that was used last is used first, so that there are only as many
// as there are requests at a time.
class ApiClientPool {
 public:
  using Clock = std::chrono::steady_clock;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  // Errors: certificates or keys of the configuration that cannot be used.
  static absl::StatusOr<std::unique_ptr<ApiClientPool>> Create(
      const ClientConfig& config, const ApiClientOptions& options,
      std::size_t max_connections);
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
  // first come, first served. Error: as of Create.
  Awaitable<absl::StatusOr<Lease>> Take();
  Awaitable<void> Sleep(Clock::duration duration);

  // For how long the coroutine has waited for a connection that waits longest.
  // Thread-safe.
  Clock::duration OldestWait() const;

 private:
  struct Waiter {
    boost::asio::steady_timer called;
    Clock::time_point since;
  };

  ApiClientPool(const ClientConfig& config, const ApiClientOptions& options,
                std::size_t max_connections);
  absl::StatusOr<std::unique_ptr<ApiClient>> NewClient();
  void GiveBack(std::unique_ptr<ApiClient> client);
  // The next that waits may take a connection.
  void CallNext();

  static constexpr Clock::rep kNobody = 0;

  const ClientConfig config_;
  const ApiClientOptions options_;
  const std::size_t max_connections_;
  std::atomic<Clock::rep> waiting_since_ = kNobody;
  std::optional<boost::asio::io_context> io_{std::in_place, 1};

  // The rest is of the pool's thread.
  bool stopping_ = false;
  std::size_t leases_ = 0;
  std::vector<std::unique_ptr<ApiClient>> idle_;
  std::deque<std::shared_ptr<Waiter>> waiters_;

  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_CLIENT_POOL_H_
