// The actions that are about nodes.
#ifndef VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_
#define VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/simulate/action.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// Each does what `kubectl` of that name does, with the taints that the node
// controller sets. Errors: a node that is not there.
absl::Status Cordon(SimulatedCluster& simulated, const std::string& node,
                    bool cordoned);
absl::Status LabelNode(SimulatedCluster& simulated, const Action& action);
absl::Status TaintNode(SimulatedCluster& simulated, const Action& action);
// Adds `count` copies of a node, and of the pods on it that belong to
// DaemonSets which are not known. `last`, unless null, becomes the name of the
// last copy.
absl::Status CopyNode(SimulatedCluster& simulated, const std::string& node,
                      std::int64_t count, std::string* last = nullptr);
// The nodes that an action is about, by name. Error: none has its labels.
absl::StatusOr<std::vector<std::string>> NodesOf(
    const SimulatedCluster& simulated, const Action& action);
absl::Status RemoveNode(SimulatedCluster& simulated, const std::string& node);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_
