// Where a command takes its cluster from: a file, or an API server as kubectl
// finds it.
#ifndef VICINAL_SERVER_COMMANDS_CLUSTER_CLUSTER_SOURCE_H_
#define VICINAL_SERVER_COMMANDS_CLUSTER_CLUSTER_SOURCE_H_

#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/simulate/cluster_receiver.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Flags. All empty: the current context of kubectl's files.
struct ClusterSource {
  std::string cluster_file;  // "-" for the standard input.
  std::string kubeconfig;
  std::string context;

  bool IsGiven() const {
    return !cluster_file.empty() || !kubeconfig.empty() || !context.empty();
  }
};

// A source that has been found, but not read.
struct FoundCluster {
  std::string file;                 // If it is a file.
  std::optional<ClientConfig> api;  // Otherwise.
  // In which objects are that do not say: the context's, or "default".
  std::string namespace_name = "default";
};

// Finds the cluster; of an API server the credentials are made. Errors: those
// of LoadKubectlConfig.
absl::StatusOr<FoundCluster> FindCluster(const ClusterSource& source);

// Reads it. A reading that takes longer than two seconds says on `log` how far
// it has come. Errors: those of ReadClusterFile and ReadClusterFromApi, and a
// file without nodes.
absl::Status ReadCluster(const FoundCluster& cluster,
                         const ClusterReceiver& receiver, std::ostream& log);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_CLUSTER_CLUSTER_SOURCE_H_
