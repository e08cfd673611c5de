#include "server/commands/serve/serve_options.h"

#include <gtest/gtest.h>

#include <string>

namespace vicinal {
namespace {

// The message begins with the flag.
void ExpectRefused(const ServeOptions& options, const std::string& flag) {
  const absl::Status status = Validate(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << flag;
  EXPECT_EQ(std::string(status.message()).substr(0, flag.size()), flag);
}

TEST(ServeOptionsTest, TheDefaultsAreValid) {
  EXPECT_TRUE(Validate(ServeOptions()).ok());
}

TEST(ServeOptionsTest, NoListenerIsReachedFromOtherMachinesWithoutTls) {
  ServeOptions extender;
  extender.listen_address = "0.0.0.0:0";
  ExpectRefused(extender, "--listen-address");
  ServeOptions admin;
  admin.admin_listen_address = "0.0.0.0:0";
  ExpectRefused(admin, "--admin-listen-address");
  ServeOptions grpc;
  grpc.grpc_listen_address = "0.0.0.0:0";
  ExpectRefused(grpc, "--grpc-listen-address");
}

TEST(ServeOptionsTest, AStateFromGrpcNeedsTheListener) {
  ServeOptions options;
  options.grpc_state = true;
  options.grpc_listen_address = "none";
  ExpectRefused(options, "--grpc-state");
}

TEST(ServeOptionsTest, TlsFlagsAreChecked) {
  ServeOptions options;
  options.security.tls.client_ca_file = "ca.crt";
  ExpectRefused(options, "--client-ca-file");
}

}  // namespace
}  // namespace vicinal
