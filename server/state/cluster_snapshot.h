// A cluster as an API server has it at one moment.
#ifndef VICINAL_SERVER_STATE_CLUSTER_SNAPSHOT_H_
#define VICINAL_SERVER_STATE_CLUSTER_SNAPSHOT_H_

#include "absl/status/status.h"
#include "core/simulate/cluster_receiver.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Lists what vicinal looks at, one kind after the other and each once, without
// a watch. If the receiver wants workloads, the other kinds of these follow:
// those that the account may not list, or that the cluster does not have, are
// noted and left out. Errors: those of the connection and of the API server,
// and objects that cannot be read; they name the resource.
absl::Status ReadClusterFromApi(const ClientConfig& config,
                                const ClusterReceiver& receiver);

// The pods that have finished, which count nowhere, so that the others do not
// list them. The rest as above.
absl::Status ReadFinishedPodsFromApi(const ClientConfig& config,
                                     const ClusterReceiver& receiver);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_SNAPSHOT_H_
