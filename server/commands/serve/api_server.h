// The API server that vicinal watches and writes to.
#ifndef VICINAL_SERVER_COMMANDS_SERVE_API_SERVER_H_
#define VICINAL_SERVER_COMMANDS_SERVE_API_SERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/commands/serve/serve_options.h"
#include "server/kubernetes/api_client_pool.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/client_config.h"
#include "server/kubernetes/pod_binder.h"
#include "server/kubernetes/pod_status_writer.h"

namespace vicinal {

// Thread-safe but for `config`, which is not to be changed.
struct ApiServer {
  ApiServer(ClientConfig config_of_it,
            std::unique_ptr<BlockingApiClient> client_of_it,
            std::unique_ptr<ApiClientPool> pool_of_it)
      : config(std::move(config_of_it)),
        client(std::move(client_of_it)),
        pool(std::move(pool_of_it)),
        binder(*pool, {}),
        status_writer(*client) {}

  const ClientConfig config;
  const std::unique_ptr<BlockingApiClient> client;
  const std::unique_ptr<ApiClientPool> pool;  // For what must not block.
  PodBinder binder;
  PodStatusWriter status_writer;
};

// How to reach the API server of the options, which must have one. Errors: a
// file that cannot be read.
absl::StatusOr<ClientConfig> ApiServerConfigOf(const ServeOptions& options);

// The one of the options' kubeconfig, or that of the cluster this process runs
// in; null if the options have neither. Sends nothing yet. Errors: a file that
// cannot be read, certificates or keys that cannot be used.
absl::StatusOr<std::unique_ptr<ApiServer>> ApiServerOf(
    const ServeOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_API_SERVER_H_
