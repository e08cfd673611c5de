#include "server/commands/serve/api_server.h"

#include <chrono>
#include <utility>

#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/in_cluster_config.h"
#include "server/kubernetes/kubeconfig.h"

namespace vicinal {
namespace {

// A write that is not answered in this time is repeated.
ApiClientOptions WriteOptions() {
  ApiClientOptions options;
  options.connect_timeout = std::chrono::seconds(2);
  options.handshake_timeout = std::chrono::seconds(2);
  options.response_timeout = std::chrono::seconds(10);
  options.read_timeout = std::chrono::seconds(5);
  options.max_body_bytes = 16 << 20;
  return options;
}

}  // namespace

absl::StatusOr<ClientConfig> ApiServerConfigOf(const ServeOptions& options) {
  return options.in_cluster ? InClusterConfig()
                            : LoadKubeconfig(options.kubeconfig);
}

absl::StatusOr<std::unique_ptr<ApiServer>> ApiServerOf(
    const ServeOptions& options) {
  if (!options.HasApiServer()) return nullptr;
  absl::StatusOr<ClientConfig> config = ApiServerConfigOf(options);
  if (!config.ok()) return config.status();
  absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
      BlockingApiClient::Create(*config, WriteOptions());
  if (!client.ok()) return client.status();
  absl::StatusOr<std::unique_ptr<ApiClientPool>> pool = ApiClientPool::Create(
      *config, WriteOptions(), {.max_connections = options.max_bindings});
  if (!pool.ok()) return pool.status();
  return std::make_unique<ApiServer>(*std::move(config), *std::move(client),
                                     *std::move(pool));
}

}  // namespace vicinal
