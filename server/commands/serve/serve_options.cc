#include "server/commands/serve/serve_options.h"

namespace vicinal {

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
  return status;
}

}  // namespace vicinal
