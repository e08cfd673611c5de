// A running cluster, to simulate on a copy of it.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_LIVE_CLUSTER_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_LIVE_CLUSTER_H_

#include "absl/status/status.h"
#include "core/simulate/simulated_cluster.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Fills a simulated with what the API server has, as LoadCluster does with a
// dump: what vicinal looks at, and the workloads. Kinds of workloads that the
// account may not list, or that the cluster does not have, are noted and left
// out; so are workloads that cannot be simulated. Errors: those of the
// connection and of the API server, and objects that cannot be read; they name
// the resource. `with_pod_facts`: as of LoadCluster, by listing the pods once
// more before.
absl::Status LoadLiveCluster(const ClientConfig& config, bool with_pod_facts,
                             SimulatedCluster& simulated);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_LIVE_CLUSTER_H_
