// Reads a cluster with what de-scheduling has to know of its pods in addition.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_CLUSTER_SOURCE_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_CLUSTER_SOURCE_H_

#include <string>

#include "absl/status/status.h"
#include "core/deschedule/pod_facts.h"
#include "core/index/cluster_state.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

struct DescheduleCluster {
  ClusterState state;
  PodFactsMap facts;
};

// Reads a file as ReadClusterFile does (server/state/cluster_file.h), a pipe
// too. A file without nodes is an error. Errors name the file, the item and the
// field. Cost: O(file), which is in memory once.
absl::Status ReadCluster(const std::string& path, DescheduleCluster& out);

// The same from an API server, as ReadClusterFromApi does.
absl::Status ReadCluster(const ClientConfig& config, DescheduleCluster& out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_CLUSTER_SOURCE_H_
