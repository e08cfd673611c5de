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

ServeOptions OfTheSample() {
  ServeOptions options;
  options.sample = true;
  return options;
}

TEST(ServeOptionsTest, TheDefaultsWantOneSourceOfTheClustersState) {
  EXPECT_TRUE(Validate(OfTheSample()).ok()) << Validate(OfTheSample());
  ExpectRefused(ServeOptions(),
                "exactly one of --kubeconfig, --in-cluster, "
                "--cluster-file, --grpc-state and --sample");
  ServeOptions two = OfTheSample();
  two.cluster_file = "cluster.yaml";
  ExpectRefused(two, "exactly one of");
}

TEST(ServeOptionsTest, WhoeverCanBindNeedsACertificate) {
  ServeOptions options;
  options.kubeconfig = "config";
  ExpectRefused(options, "--client-ca-file is missing");
  options.allow_anonymous_clients = true;
  EXPECT_TRUE(Validate(options).ok()) << Validate(options);
  options.allow_anonymous_clients = false;
  options.security.tls = {"tls.crt", "tls.key", "ca.crt", ""};
  EXPECT_TRUE(Validate(options).ok()) << Validate(options);
}

TEST(ServeOptionsTest, ReadersOfTheMetricsNeedTls) {
  ServeOptions options = OfTheSample();
  options.metrics_client_ca_file = "ca.crt";
  ExpectRefused(options, "--metrics-client-ca-file needs --tls-cert-file");
}

TEST(ServeOptionsTest, RolesNeedCertificatesToTellClientsApart) {
  ServeOptions options = OfTheSample();
  options.grpc_listen_address = "127.0.0.1:0";
  options.grpc_roles_file = "roles.yaml";
  ExpectRefused(options, "--grpc-roles-file needs");
  options.security.tls = {"tls.crt", "tls.key", "ca.crt", ""};
  EXPECT_TRUE(Validate(options).ok()) << Validate(options);
  options.grpc_listen_address = "none";  // They are for /decisions, too.
  EXPECT_TRUE(Validate(options).ok()) << Validate(options);
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
