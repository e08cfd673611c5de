#include "server/commands/cluster/cluster_source.h"

#include <utility>
#include <variant>

#include "server/commands/cluster/progress.h"
#include "server/kubernetes/kubectl_config.h"
#include "server/state/cluster_file.h"
#include "server/state/cluster_snapshot.h"

namespace vicinal {

absl::StatusOr<FoundCluster> FindCluster(const ClusterSource& source) {
  FoundCluster found;
  if (!source.cluster_file.empty()) {
    found.file = source.cluster_file;
    return found;
  }
  absl::StatusOr<KubectlConfig> config =
      LoadKubectlConfig(source.kubeconfig, source.context);
  if (!config.ok()) return config.status();
  found.api = std::move(config->client);
  found.namespace_name = std::move(config->namespace_name);
  return found;
}

absl::Status ReadCluster(const FoundCluster& cluster,
                         const ClusterReceiver& receiver, std::ostream& log) {
  Progress progress(log, "objects of the cluster read so far");
  bool has_nodes = false;
  ClusterReceiver counting = receiver;
  counting.add = [&](Object object, const PodFacts& facts) {
    progress.Count();
    has_nodes = has_nodes || std::holds_alternative<Node>(object);
    receiver.add(std::move(object), facts);
  };
  if (cluster.api) return ReadClusterFromApi(*cluster.api, counting);
  absl::Status status = ReadClusterFile(cluster.file, counting);
  if (!status.ok() || has_nodes) return status;
  return NoNodesInFile(cluster.file);
}

}  // namespace vicinal
