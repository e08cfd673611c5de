// The actions that are about nodes.
#ifndef VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_
#define VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "core/simulate/action.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// Each does what `kubectl` of that name does, with the taints that the node
// controller sets. Errors: a node that is not there.
absl::Status Cordon(SimulatedCluster& simulated, const std::string& node,
                    bool cordoned);
absl::Status Drain(SimulatedCluster& simulated, const std::string& node);
absl::Status LabelNode(SimulatedCluster& simulated, const Action& action);
absl::Status TaintNode(SimulatedCluster& simulated, const Action& action);
// Adds `count` copies of a node, and of the pods on it that belong to
// DaemonSets which are not known.
absl::Status CopyNode(SimulatedCluster& simulated, const std::string& node,
                      std::int64_t count);
absl::Status RemoveNode(SimulatedCluster& simulated, const std::string& node);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_
