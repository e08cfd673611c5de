#include "server/kubernetes/server_url.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

TEST(ServerUrlTest, DefaultsThePortToTheScheme) {
  const absl::StatusOr<ServerUrl> https =
      ParseServerUrl("https://api.example.org");
  ASSERT_TRUE(https.ok()) << https.status();
  EXPECT_TRUE(https->tls);
  EXPECT_EQ(https->host, "api.example.org");
  EXPECT_EQ(https->port, 443);
  EXPECT_EQ(https->path_prefix, "");

  const absl::StatusOr<ServerUrl> http = ParseServerUrl("http://localhost/");
  ASSERT_TRUE(http.ok()) << http.status();
  EXPECT_FALSE(http->tls);
  EXPECT_EQ(http->port, 80);
  EXPECT_EQ(http->path_prefix, "");
}

TEST(ServerUrlTest, ReadsPortPathAndIpv6Address) {
  const absl::StatusOr<ServerUrl> url =
      ParseServerUrl("https://[fd00::1]:6443/k8s/clusters/c1/");
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->path_prefix, "/k8s/clusters/c1");
}

TEST(ServerUrlTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "must begin with https:// or http://"},
      {"10.0.0.1:6443", "must begin with https:// or http://"},
      {"https://", "the host is missing"},
      {"https:///path", "the host is missing"},
      {"https://user:secret@host", "must not contain a user name or password"},
      {"https://host?x=1", "must have neither a query nor a fragment"},
      {"https://host/#x", "must have neither a query nor a fragment"},
      {"https://ho st", "the host is not a DNS name or IP address"},
      {"https://host\r\nX: y", "the host is not a DNS name or IP address"},
      {"https://host:", "the port must be a number from 1 to 65535"},
      {"https://host:0", "the port must be a number from 1 to 65535"},
      {"https://host:65536", "the port must be a number from 1 to 65535"},
      {"https://host:64x", "the port must be a number from 1 to 65535"},
      {"https://host:-1", "the port must be a number from 1 to 65535"},
      {"https://fd00::1", "the port must be a number from 1 to 65535"},
      {"https://[fd00::1", "the host lacks a closing ']'"},
      {"https://[]", "the host is not an IPv6 address"},
      {"https://[nope]", "the host is not an IPv6 address"},
      {"https://[::1]6443", "a port must follow the host"},
      {"https://host/a b", "the path contains a character that a URL must not"},
      {"https://host/a\r\nX:",
       "the path contains a character that a URL must not"},
  };
  for (const auto& [url, message] : cases) {
    const absl::StatusOr<ServerUrl> parsed = ParseServerUrl(url);
    ASSERT_FALSE(parsed.ok()) << url;
    EXPECT_EQ(parsed.status().message(), message) << url;
  }
}

}  // namespace
}  // namespace vicinal
