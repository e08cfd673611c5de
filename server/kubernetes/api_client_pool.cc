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
    const ClientConfig& config, const ApiClientOptions& client_options,
    const Options& options) {
  std::unique_ptr<ApiClientPool> pool(
      new ApiClientPool(config, client_options, options));
  // A first client shows whether the configuration can be used.
  const absl::StatusOr<std::unique_ptr<ApiClient>> first = pool->NewClient();
  if (!first.ok()) return first.status();
  pool->Run([p = pool.get()] { return p->Tend(); });
  pool->thread_ = std::thread([io = &*pool->io_] {
    const auto keep_running = asio::make_work_guard(*io);
    io->run();
  });
  return pool;
}

ApiClientPool::ApiClientPool(const ClientConfig& config,
                             const ApiClientOptions& client_options,
                             const Options& options)
    : config_(config), client_options_(client_options), options_(options) {}

ApiClientPool::~ApiClientPool() {
  Stop();
  stopping_ = true;
  waiters_.clear();
  idle_.clear();
  due_.reset();
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
  if (!idle_.empty()) {
    std::unique_ptr<ApiClient> client = std::move(idle_.back().client);
    idle_.pop_back();
    co_return Lease(*this, std::move(client));
  }
  const auto waiter = std::make_shared<Waiter>(
      Waiter{asio::steady_timer(*io_, Clock::time_point::max()), Clock::now(),
             nullptr});
  waiters_.push_back(waiter);
  if (waiters_.size() == 1) {
    waiting_since_ = waiter->since.time_since_epoch().count();
    OpenWhenDue();
  }
  boost::system::error_code cancelled;
  co_await waiter->called.async_wait(
      asio::redirect_error(asio::use_awaitable, cancelled));
  if (!waiter->client.ok()) co_return waiter->client.status();
  co_return Lease(*this, *std::move(waiter->client));
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
  return ApiClient::Create(io_->get_executor(), config_, client_options_);
}

void ApiClientPool::GiveBack(std::unique_ptr<ApiClient> client) {
  if (stopping_) return;
  if (!client->IsConnected()) {
    --size_;
    OpenWhenDue();
  } else if (waiters_.empty()) {
    idle_.push_back({std::move(client), Clock::now()});
  } else {
    CallNext(std::move(client));
  }
}

void ApiClientPool::CallNext(
    absl::StatusOr<std::unique_ptr<ApiClient>> client) {
  const std::shared_ptr<Waiter> waiter = std::move(waiters_.front());
  waiters_.pop_front();
  waiter->client = std::move(client);
  waiter->called.cancel();
  waiting_since_ = waiters_.empty()
                       ? kNobody
                       : waiters_.front()->since.time_since_epoch().count();
  OpenWhenDue();
}

void ApiClientPool::OpenWhenDue() {
  due_->cancel();
  if (waiters_.empty() || opening_ == options_.max_opening ||
      size_ == options_.max_connections) {
    return;
  }
  const Clock::time_point due = waiters_.front()->since + options_.patience;
  if (size_ > 0 && Clock::now() < due) {
    due_->expires_at(due);
    due_->async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled) OpenWhenDue();
    });
    return;
  }
  ++size_;
  ++opening_;
  Run([this]() -> Awaitable<void> { co_await Open(); });
}

ApiClientPool::Awaitable<bool> ApiClientPool::Open() {
  absl::StatusOr<std::unique_ptr<ApiClient>> client = NewClient();
  bool connected = false;
  if (client.ok()) {
    // Who gets it tries again if this fails, and sees why.
    const absl::Status opened = co_await (*client)->Connect();
    connected = opened.ok();
  }
  --opening_;
  if (!client.ok()) --size_;
  if (!waiters_.empty()) {
    CallNext(std::move(client));
  } else if (client.ok()) {
    GiveBack(*std::move(client));
  }
  co_return connected;
}

ApiClientPool::Awaitable<void> ApiClientPool::Tend() {
  for (;;) {
    co_await OpenThoseToKeep();
    co_await Sleep(options_.max_idle / 2);
    CloseIdle();
    co_await KeepAlive();
  }
}

ApiClientPool::Awaitable<void> ApiClientPool::OpenThoseToKeep() {
  while (size_ < options_.min_connections && opening_ < options_.max_opening) {
    ++size_;
    ++opening_;
    const bool connected = co_await Open();
    if (!connected) co_return;  // Later.
  }
}

ApiClientPool::Awaitable<void> ApiClientPool::KeepAlive() {
  const Clock::time_point latest = Clock::now() - options_.max_silence;
  while (options_.min_connections > 0 && !idle_.empty() &&
         idle_.front().since <= latest) {
    std::unique_ptr<ApiClient> client = std::move(idle_.front().client);
    idle_.erase(idle_.begin());
    // One that has ended is opened again by this.
    const absl::StatusOr<ApiResponse> ignored =
        co_await client->Get("/version");
    GiveBack(std::move(client));
  }
}

void ApiClientPool::CloseIdle() {
  const Clock::time_point oldest = Clock::now() - options_.max_idle;
  while (idle_.size() > 1 && size_ > options_.min_connections &&
         idle_.front().since < oldest) {
    idle_.erase(idle_.begin());
    --size_;
  }
}

}  // namespace vicinal
