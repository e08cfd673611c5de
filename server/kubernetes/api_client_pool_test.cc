#include "server/kubernetes/api_client_pool.h"

#include <atomic>
#include <future>
#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

// A server whose answers wait for the test.
class ApiClientPoolTest : public testing::Test {
 protected:
  std::unique_ptr<ApiClientPool> Pool(const ApiClientPool::Options& options) {
    const ClientConfig config = PlainConfigOf(server_);
    return *ApiClientPool::Create(config, {}, options);
  }

  // GETs something, and counts the answer.
  void Get(ApiClientPool& pool) {
    pool.Run([this, &pool]() -> ApiClientPool::Awaitable<void> {
      absl::StatusOr<ApiClientPool::Lease> client = co_await pool.Take();
      const auto response = co_await (*client)->Get("/x");
      EXPECT_TRUE(response.ok()) << response.status();
      ++answers_;
      answers_.notify_all();
    });
  }
  void WaitForAnswers(int count) {
    for (int seen = answers_; seen < count; seen = answers_) {
      answers_.wait(seen);
    }
  }

  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
  std::atomic<int> answers_ = 0;
  TestHttpServer server_{{}, [this](const TestRequest&, TestReply& reply) {
                           opened_.wait();
                           reply.Send(200, "{}");
                         }};
};

TEST_F(ApiClientPoolTest, SendsManyRequestsAtATime) {
  const auto pool = Pool({.max_connections = 64});
  for (int i = 0; i < 64; ++i) Get(*pool);
  EXPECT_TRUE(server_.WaitForRequests(64));
  EXPECT_EQ(pool->OldestWait(), ApiClientPool::Clock::duration::zero());
  open_.set_value();
  WaitForAnswers(64);
}

TEST_F(ApiClientPoolTest, MoreRequestsThanConnectionsQueue) {
  const auto pool = Pool({.max_connections = 2});
  for (int i = 0; i < 5; ++i) Get(*pool);
  EXPECT_TRUE(server_.WaitForRequests(2));
  while (pool->OldestWait() == ApiClientPool::Clock::duration::zero()) {
  }
  EXPECT_EQ(server_.requests().size(), 2u);
  open_.set_value();
  WaitForAnswers(5);
  EXPECT_EQ(pool->OldestWait(), ApiClientPool::Clock::duration::zero());
}

TEST_F(ApiClientPoolTest, AConnectionIsUsedAgain) {
  open_.set_value();
  const auto pool = Pool({});
  for (int i = 1; i <= 5; ++i) {
    Get(*pool);
    WaitForAnswers(i);
  }
  for (const TestRequest& request : server_.requests()) {
    EXPECT_EQ(request.connection, 1);
  }
}

TEST_F(ApiClientPoolTest, WhoHasPatienceWaitsForAConnectionThatIsThere) {
  open_.set_value();
  const auto pool = Pool({.patience = std::chrono::hours(1)});
  for (int i = 0; i < 50; ++i) Get(*pool);
  WaitForAnswers(50);
  for (const TestRequest& request : server_.requests()) {
    EXPECT_EQ(request.connection, 1);
  }
}

TEST_F(ApiClientPoolTest, ABurstFindsTheConnectionsThatAreKept) {
  const auto pool =
      Pool({.patience = std::chrono::hours(1), .min_connections = 8});
  for (int i = 0; i < 8; ++i) Get(*pool);
  // None of them is answered.
  EXPECT_TRUE(server_.WaitForRequests(8));
  open_.set_value();
  WaitForAnswers(8);
}

TEST_F(ApiClientPoolTest, WhatIsKeptIsKeptAlive) {
  open_.set_value();
  const auto pool = Pool({.max_idle = std::chrono::milliseconds(1),
                          .min_connections = 3,
                          .max_silence = std::chrono::seconds(0)});
  EXPECT_TRUE(server_.WaitForRequests(100));
  std::set<int> connections;
  for (const TestRequest& request : server_.requests()) {
    connections.insert(request.connection);
  }
  EXPECT_EQ(connections, (std::set<int>{1, 2, 3}));
}

TEST_F(ApiClientPoolTest, WhatIsKeptIsOpenedAgainAfterAnEnd) {
  open_.set_value();
  const auto pool = Pool({.max_idle = std::chrono::milliseconds(1),
                          .min_connections = 2,
                          .max_silence = std::chrono::seconds(0)});
  EXPECT_TRUE(server_.WaitForRequests(10));
  server_.CutAll();
  while (server_.requests().back().connection < 4) {
  }
}

TEST_F(ApiClientPoolTest, AConnectionThatIsNotUsedIsClosed) {
  open_.set_value();
  const auto pool = Pool({.patience = std::chrono::seconds(0),
                          .max_idle = std::chrono::milliseconds(1)});
  // Several at a time need another connection each time that one was closed.
  int answers = 0;
  for (int connections = 0; connections < 30;) {
    for (int i = 0; i < 8; ++i) Get(*pool);
    WaitForAnswers(answers += 8);
    connections = server_.requests().back().connection;
  }
}

TEST_F(ApiClientPoolTest, AServerThatIsAwayForAWhileIsReachedAgain) {
  open_.set_value();
  const auto pool = Pool({});
  Get(*pool);
  WaitForAnswers(1);
  server_.CutAll();
  for (int i = 0; i < 5; ++i) Get(*pool);
  WaitForAnswers(6);
}

TEST_F(ApiClientPoolTest, ARequestOverAConnectionThatCannotBeOpenedSaysWhy) {
  ClientConfig config;
  config.tls = false;
  config.host = "127.0.0.1";
  config.port = 1;
  const auto pool = *ApiClientPool::Create(config, {}, {});
  std::promise<absl::Status> ended[2];
  for (std::promise<absl::Status>& end : ended) {
    pool->Run([&]() -> ApiClientPool::Awaitable<void> {
      absl::StatusOr<ApiClientPool::Lease> client = co_await pool->Take();
      const auto response = co_await (*client)->Get("/x");
      end.set_value(response.status());
    });
  }
  for (std::promise<absl::Status>& end : ended) {
    EXPECT_EQ(end.get_future().get().code(), absl::StatusCode::kUnavailable);
  }
}

TEST_F(ApiClientPoolTest, EndsInTheMiddleOfRequests) {
  auto pool = Pool({.max_connections = 2});
  for (int i = 0; i < 5; ++i) Get(*pool);
  EXPECT_TRUE(server_.WaitForRequests(2));
  pool.reset();
  EXPECT_EQ(answers_, 0);
  open_.set_value();
}

}  // namespace
}  // namespace vicinal
