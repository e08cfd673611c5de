#include "server/kubernetes/list_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ListAllTest, ReadsAllPages) {
  const TestHttpServer server(
      {}, [](const TestRequest& request, TestReply& reply) {
        EXPECT_EQ(request.path, "/api/v1/nodes");
        EXPECT_EQ(request.Query("fieldSelector"), "a!=b");
        if (request.Query("continue").empty()) {
          reply.Send(200, R"({"metadata":{"resourceVersion":"1",
            "continue":"more=="},"items":[{"n":1},{"n":2}]})");
        } else {
          EXPECT_EQ(request.Query("continue"), "more==");
          reply.Send(200,
                     R"({"metadata":{"resourceVersion":"1"},
                      "items":[{"n":3}]})");
        }
      });
  std::vector<std::string> items;
  const absl::Status status =
      ListAll(PlainConfigOf(server), "/api/v1/nodes", "a!=b",
              [&items](simdjson::padded_string_view item) {
                items.emplace_back(item);
                return absl::OkStatus();
              });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(items, ElementsAre(R"({"n":1})", R"({"n":2})", R"({"n":3})"));
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(ListAllTest, ErrorsNameThePath) {
  const TestHttpServer server({}, [](const TestRequest&, TestReply& reply) {
    reply.Send(403, R"({"kind":"Status","message":"no nodes for you"})");
  });
  const absl::Status status =
      ListAll(PlainConfigOf(server), "/api/v1/nodes", "",
              [](simdjson::padded_string_view) { return absl::OkStatus(); });
  EXPECT_THAT(std::string(status.message()), HasSubstr("/api/v1/nodes: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no nodes for you"));
}

TEST(ListAllTest, AsksForAPageAgainThatMayCome) {
  int asked = 0;
  const TestHttpServer server(
      {}, [&asked](const TestRequest& request, TestReply& reply) {
        switch (++asked) {
          case 1:
            return reply.Send(200, R"({"metadata":{"resourceVersion":"1",
              "continue":"more"},"items":[{"n":1}]})");
          case 2:
            return reply.Send(429, "{}");
          case 3:
            return reply.Send(500, "{}");
          case 4:
            reply.SendRaw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{");
            return reply.Cut();
          default:
            EXPECT_EQ(request.Query("continue"), "more");
            return reply.Send(200, R"({"metadata":{"resourceVersion":"1"},
              "items":[{"n":2}]})");
        }
      });
  std::vector<std::string> items;
  const absl::Status status =
      ListAll(PlainConfigOf(server), "/api/v1/nodes", "",
              [&items](simdjson::padded_string_view item) {
                items.emplace_back(item);
                return absl::OkStatus();
              });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(items, ElementsAre(R"({"n":1})", R"({"n":2})"));
}

TEST(ListAllTest, GivesUpAPageThatDoesNotCome) {
  const TestHttpServer server({}, [](const TestRequest&, TestReply& reply) {
    reply.Send(503, R"({"kind":"Status","message":"not today"})");
  });
  const absl::Status status =
      ListAll(PlainConfigOf(server), "/api/v1/nodes", "",
              [](simdjson::padded_string_view) { return absl::OkStatus(); });
  EXPECT_THAT(std::string(status.message()), HasSubstr("not today"));
  EXPECT_EQ(server.requests().size(), 5u);
}

TEST(ListAllTest, StopsAtAnItemThatIsRefused) {
  const TestHttpServer server({}, [](const TestRequest&, TestReply& reply) {
    reply.Send(200, R"({"metadata":{"resourceVersion":"1","continue":"c"},
      "items":[{},{}]})");
  });
  int items = 0;
  const absl::Status status =
      ListAll(PlainConfigOf(server), "/api/v1/pods", "",
              [&items](simdjson::padded_string_view) {
                ++items;
                return absl::InvalidArgumentError("metadata.name: required");
              });
  EXPECT_EQ(std::string(status.message()),
            "/api/v1/pods: metadata.name: required");
  EXPECT_EQ(items, 1);
  EXPECT_LE(server.requests().size(), 2u);  // The next page was asked ahead.
}

}  // namespace
}  // namespace vicinal
