#include "server/kubernetes/api_version.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// What is read of an API server that answers so.
absl::StatusOr<std::string> Read(int status, const std::string& body) {
  TestHttpServer server({}, [&](const TestRequest& request, TestReply& reply) {
    EXPECT_EQ(request.target, "/version");
    reply.Send(status, body);
  });
  const ClientConfig config = PlainConfigOf(server);
  const auto client = BlockingApiClient::Create(config, {});
  EXPECT_TRUE(client.ok()) << client.status();
  return ReadApiVersion(**client);
}

TEST(ApiVersionTest, ItIsTheGitVersion) {
  const auto version =
      Read(200, R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})");
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(*version, "v1.36.3");
}

TEST(ApiVersionTest, AnErrorSaysWhatWasAsked) {
  for (const auto& [status, body] :
       {std::pair(403, R"({"message":"forbidden"})"), std::pair(200, "{}"),
        std::pair(200, "<html>"), std::pair(200, R"({"gitVersion":7})")}) {
    EXPECT_THAT(std::string(Read(status, body).status().message()),
                StartsWith("/version: "))
        << body;
  }
  EXPECT_THAT(std::string(Read(200, R"({"gitVersion":7})").status().message()),
              HasSubstr("gitVersion"));
}

}  // namespace
}  // namespace vicinal
