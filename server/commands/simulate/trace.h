// Writes down each placement such that the stock scheduler can be asked about
// it.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_TRACE_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_TRACE_H_

#include <string>

#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// A case of test/conformance/README.md without the newline: the cluster just
// before the placement, the pod, and as id `{"pod":"shop/web-1","node":"w1"}`.
// Cost: O(cluster).
std::string TraceLine(const SimulatedCluster& simulated, const Pod& pod,
                      const std::string& node);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_TRACE_H_
