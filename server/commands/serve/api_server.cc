#include "server/commands/serve/api_server.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/in_cluster_config.h"
#include "server/kubernetes/kubeconfig.h"

namespace vicinal {
namespace {

// As many bindings of a burst as are written at the same time by in-tree on a
// machine of few cores.
constexpr std::size_t kKeptConnections = 16;

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
  ApiClientPool::Options pool_options;
  pool_options.max_connections = options.max_bindings;
  pool_options.min_connections =
      std::min(kKeptConnections, pool_options.max_connections);
  absl::StatusOr<std::unique_ptr<ApiClientPool>> pool =
      ApiClientPool::Create(*config, WriteOptions(), pool_options);
  if (!pool.ok()) return pool.status();
  return std::make_unique<ApiServer>(*std::move(config), *std::move(client),
                                     *std::move(pool));
}

}  // namespace vicinal
