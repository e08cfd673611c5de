#include "server/commands/serve/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace vicinal {
namespace {

ServeOptions OnFreePorts() {
  ServeOptions options;
  options.sample = true;
  options.listen_address = "127.0.0.1:0";
  options.admin_listen_address = "127.0.0.1:0";
  options.grpc_listen_address = "127.0.0.1:0";
  return options;
}

TEST(ServerTest, ItSaysWhereItListens) {
  const auto server = Server::Start(OnFreePorts());
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_THAT((*server)->Addresses(),
              ::testing::MatchesRegex("extender=127.0.0.1:[0-9]+ "
                                      "admin=127.0.0.1:[0-9]+ "
                                      "grpc=127.0.0.1:[0-9]+"));
  (*server)->Stop();
}

TEST(ServerTest, WithoutGrpcThereAreTwoListeners) {
  ServeOptions options = OnFreePorts();
  options.grpc_listen_address = "none";
  const auto server = Server::Start(options);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_THAT((*server)->Addresses(),
              ::testing::MatchesRegex(
                  "extender=127.0.0.1:[0-9]+ admin=127.0.0.1:[0-9]+"));
}

TEST(ServerTest, AnAddressInUseEndsTheStartWhateverHasStarted) {
  const auto first = Server::Start(OnFreePorts());
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string addresses = (*first)->Addresses();
  ServeOptions options = OnFreePorts();
  options.grpc_listen_address = addresses.substr(addresses.rfind('=') + 1);
  const auto second = Server::Start(options);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable)
      << second.status();
}

TEST(ServerTest, AFileThatCannotBeReadEndsTheStart) {
  ServeOptions options = OnFreePorts();
  options.sample = false;
  options.cluster_file = "no such file";
  EXPECT_FALSE(Server::Start(options).ok());
  options = OnFreePorts();
  options.scheduler_config = "no such file";
  EXPECT_FALSE(Server::Start(options).ok());
}

}  // namespace
}  // namespace vicinal
