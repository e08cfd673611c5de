#include "server/kubernetes/api_client_pool.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

namespace vicinal {

namespace asio = boost::asio;

absl::StatusOr<std::unique_ptr<ApiClientPool>> ApiClientPool::Create(
    const ClientConfig& config, const ApiClientOptions& options,
    std::size_t max_connections) {
  std::unique_ptr<ApiClientPool> pool(
      new ApiClientPool(config, options, max_connections));
  // The first connection shows whether the configuration can be used.
  absl::StatusOr<std::unique_ptr<ApiClient>> first = pool->NewClient();
  if (!first.ok()) return first.status();
  pool->idle_.push_back(*std::move(first));
  pool->thread_ = std::thread([io = &*pool->io_] {
    const auto keep_running = asio::make_work_guard(*io);
    io->run();
  });
  return pool;
}

ApiClientPool::ApiClientPool(const ClientConfig& config,
                             const ApiClientOptions& options,
                             std::size_t max_connections)
    : config_(config), options_(options), max_connections_(max_connections) {}

ApiClientPool::~ApiClientPool() {
  Stop();
  stopping_ = true;
  waiters_.clear();
  idle_.clear();
  io_.reset();  // And with it the coroutines.
}

void ApiClientPool::Stop() {
  io_->stop();
  if (thread_.joinable()) thread_.join();
}

void ApiClientPool::Run(std::function<Awaitable<void>()> coroutine) {
  asio::co_spawn(*io_, std::move(coroutine), [](std::exception_ptr error) {
    // Nothing below throws but for want of memory, and then the process is to
    // end.
    if (error != nullptr) std::rethrow_exception(error);
  });
}

ApiClientPool::Awaitable<absl::StatusOr<ApiClientPool::Lease>>
ApiClientPool::Take() {
  if (leases_ >= max_connections_ || !waiters_.empty()) {
    const auto waiter = std::make_shared<Waiter>(Waiter{
        asio::steady_timer(*io_, Clock::time_point::max()), Clock::now()});
    if (waiters_.empty()) {
      waiting_since_ = waiter->since.time_since_epoch().count();
    }
    waiters_.push_back(waiter);
    boost::system::error_code cancelled;
    co_await waiter->called.async_wait(
        asio::redirect_error(asio::use_awaitable, cancelled));
  } else {
    ++leases_;
  }
  // From here on one of the leases is ours.
  std::unique_ptr<ApiClient> client;
  if (!idle_.empty()) {
    client = std::move(idle_.back());
    idle_.pop_back();
  } else {
    absl::StatusOr<std::unique_ptr<ApiClient>> made = NewClient();
    if (!made.ok()) {
      --leases_;
      CallNext();
      co_return made.status();
    }
    client = *std::move(made);
  }
  co_return Lease(*this, std::move(client));
}

ApiClientPool::Awaitable<void> ApiClientPool::Sleep(Clock::duration duration) {
  asio::steady_timer timer(*io_, duration);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

ApiClientPool::Clock::duration ApiClientPool::OldestWait() const {
  const Clock::rep since = waiting_since_;
  if (since == kNobody) return Clock::duration::zero();
  return Clock::now() - Clock::time_point(Clock::duration(since));
}

absl::StatusOr<std::unique_ptr<ApiClient>> ApiClientPool::NewClient() {
  return ApiClient::Create(io_->get_executor(), config_, options_);
}

void ApiClientPool::GiveBack(std::unique_ptr<ApiClient> client) {
  if (stopping_) return;
  idle_.push_back(std::move(client));
  --leases_;
  CallNext();
}

void ApiClientPool::CallNext() {
  if (waiters_.empty() || leases_ >= max_connections_) return;
  ++leases_;  // The waiter's.
  waiters_.front()->called.cancel();
  waiters_.pop_front();
  waiting_since_ = waiters_.empty()
                       ? kNobody
                       : waiters_.front()->since.time_since_epoch().count();
}

}  // namespace vicinal
