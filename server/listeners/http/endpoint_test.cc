#include "server/listeners/http/endpoint.h"

#include <gtest/gtest.h>

#include <string>

namespace vicinal {
namespace {

TEST(EndpointTest, AddressesAreReadAndWrittenAlike) {
  for (const char* address : {"127.0.0.1:80", "0.0.0.0:0", "10.1.2.3:65535",
                              "[::1]:8890", "[::]:1"}) {
    const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(address);
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    EXPECT_EQ(endpoint->ToString(), address);
  }
}

TEST(EndpointTest, WhatIsNoAddressIsNamed) {
  for (const char* address :
       {"", ":80", "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
        "127.0.0.1:x", "127.0.0.1:80x", "1.2.3:80", "unix:/tmp/s"}) {
    const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(address);
    ASSERT_FALSE(endpoint.ok()) << address;
    EXPECT_EQ(endpoint.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(endpoint.status().message(),
              "address \"" + std::string(address) +
                  "\": must be <IP address>:<port>");
  }
}

TEST(EndpointTest, TellsLoopback) {
  for (const char* address : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1"}) {
    EXPECT_TRUE(ParseEndpoint(address)->IsLoopback()) << address;
  }
  for (const char* address : {"0.0.0.0:1", "10.0.0.1:1", "[::]:1"}) {
    EXPECT_FALSE(ParseEndpoint(address)->IsLoopback()) << address;
  }
}

}  // namespace
}  // namespace vicinal
