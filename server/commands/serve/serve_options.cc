#include "server/commands/serve/serve_options.h"

namespace vicinal {
namespace {

absl::Status CheckClusterState(const ServeOptions& options) {
  const int sources = !options.kubeconfig.empty() + options.in_cluster +
                      !options.cluster_file.empty() + options.grpc_state +
                      options.sample;
  if (sources == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "exactly one of --kubeconfig, --in-cluster, --cluster-file, --grpc-state "
      "and --sample is wanted: where the state of the cluster comes from");
}

}  // namespace

absl::Status Validate(const ServeOptions& options) {
  absl::Status status = CheckTlsFlags(options.security);
  if (status.ok()) {
    status = CheckListenAddress("--listen-address", options.listen_address,
                                options.security);
  }
  if (status.ok()) {
    status = CheckListenAddress("--admin-listen-address",
                                options.admin_listen_address, options.security);
  }
  if (status.ok() && options.HasGrpc()) {
    status = CheckListenAddress("--grpc-listen-address",
                                options.grpc_listen_address, options.security);
  }
  if (status.ok() && options.grpc_state && !options.HasGrpc()) {
    status =
        absl::InvalidArgumentError("--grpc-state needs --grpc-listen-address");
  }
  if (!status.ok()) return status;
  const bool has_client_ca = !options.security.tls.client_ca_file.empty();
  if (!options.grpc_roles_file.empty() && !has_client_ca) {
    return absl::InvalidArgumentError(
        "--grpc-roles-file needs --client-ca-file");
  }
  if (!options.metrics_client_ca_file.empty() && !options.security.HasTls()) {
    return absl::InvalidArgumentError(
        "--metrics-client-ca-file needs --tls-cert-file");
  }
  if (options.HasApiServer() && !has_client_ca &&
      !options.allow_anonymous_clients) {
    return absl::InvalidArgumentError(
        "--client-ca-file is missing: every process of this machine could have "
        "pods bound and read what vicinal knows. `vicinal certificates` makes "
        "the files; or set --allow-anonymous-clients");
  }
  return CheckClusterState(options);
}

}  // namespace vicinal
