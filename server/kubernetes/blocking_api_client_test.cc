#include "server/kubernetes/blocking_api_client.h"

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

std::unique_ptr<BlockingApiClient> ClientOf(const TestHttpServer& server) {
  const ClientConfig config = PlainConfigOf(server);
  ApiClientOptions options;
  options.response_timeout = std::chrono::milliseconds(500);
  absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
      BlockingApiClient::Create(config, options);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

TEST(BlockingApiClientTest, SendsTheRequestAndReturnsTheAnswer) {
  TestHttpServer server({}, [](const TestRequest& request, TestReply& reply) {
    reply.Send(201, request.method + " " + request.target + " " + request.body);
  });
  const auto client = ClientOf(server);
  ApiRequest request;
  request.method = "PATCH";
  request.target = "/x?y=z";
  request.body = R"({"a":1})";
  request.content_type = "application/merge-patch+json";
  const absl::StatusOr<ApiResponse> response = client->Send(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, R"(PATCH /x?y=z {"a":1})");
  const TestRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.Header("content-type"), "application/merge-patch+json");
  EXPECT_EQ(seen.Header("content-length"), "7");
}

TEST(BlockingApiClientTest, CallsOneAfterTheOtherShareAConnection) {
  TestHttpServer server(
      {}, [](const TestRequest&, TestReply& reply) { reply.Send(200, "{}"); });
  const auto client = ClientOf(server);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client->Send({.target = "/"}).ok());
  }
  for (const TestRequest& request : server.requests()) {
    EXPECT_EQ(request.connection, 1);
  }
}

TEST(BlockingApiClientTest, CallsAtATimeDoNotWaitForEachOther) {
  constexpr int kCalls = 4;
  std::atomic<int> arrived = 0;
  TestHttpServer server({}, [&](const TestRequest&, TestReply& reply) {
    ++arrived;
    // Answered only once all are here.
    while (arrived < kCalls) std::this_thread::yield();
    reply.Send(200, "{}");
  });
  const auto client = ClientOf(server);
  std::vector<std::thread> threads;
  std::atomic<int> answered = 0;
  for (int i = 0; i < kCalls; ++i) {
    threads.emplace_back([&] {
      if (client->Send({.target = "/"}).ok()) ++answered;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, kCalls);
}

TEST(BlockingApiClientTest, AfterAnErrorTheNextCallConnectsAnew) {
  TestHttpServer server({}, [](const TestRequest& request, TestReply& reply) {
    if (request.target == "/cut") {
      reply.StartChunks();
      reply.Cut();
    } else if (request.target == "/silent") {
      reply.WaitUntilGone();
    } else {
      reply.Send(200, "{}");
    }
  });
  const auto client = ClientOf(server);
  EXPECT_FALSE(client->Send({.target = "/cut"}).ok());
  EXPECT_TRUE(client->Send({.target = "/"}).ok());
  EXPECT_EQ(client->Send({.target = "/silent"}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(client->Send({.target = "/"}).ok());
}

TEST(BlockingApiClientTest, AConfigurationThatCannotBeUsedIsRefused) {
  ClientConfig config;
  config.host = "127.0.0.1";
  config.client_certificate_pem = "no certificate";
  config.client_key_pem = "no key";
  EXPECT_FALSE(BlockingApiClient::Create(config, {}).ok());
}

}  // namespace
}  // namespace vicinal
