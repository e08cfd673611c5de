// The actions that are about nodes.
#ifndef VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_
#define VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "core/simulate/action.h"
#include "core/simulate/world.h"

namespace vicinal {

// Each does what `kubectl` of that name does, with the taints that the node
// controller sets. Errors: a node that is not there.
absl::Status Cordon(World& world, const std::string& node, bool cordoned);
absl::Status Drain(World& world, const std::string& node);
absl::Status LabelNode(World& world, const Action& action);
absl::Status TaintNode(World& world, const Action& action);
// Adds `count` copies of a node, and of the pods on it that belong to
// DaemonSets which are not known.
absl::Status CopyNode(World& world, const std::string& node,
                      std::int64_t count);
absl::Status RemoveNode(World& world, const std::string& node);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_NODE_ACTIONS_H_
