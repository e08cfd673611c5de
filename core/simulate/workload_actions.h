// The actions that are about workloads and pods.
#ifndef VICINAL_CORE_SIMULATE_WORKLOAD_ACTIONS_H_
#define VICINAL_CORE_SIMULATE_WORKLOAD_ACTIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/simulate/action.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// Creates or changes what a manifest says, as kubectl and the API server do.
// Errors: a namespace that does not exist, an object without a name, a pod that
// exists already.
absl::Status Apply(SimulatedCluster& simulated,
                   std::vector<ScriptObject> items);

// Errors of all that follow: an object that is not known, or of a kind that
// this cannot be done with.
absl::Status Scale(SimulatedCluster& simulated, const Target& target,
                   std::int64_t replicas);
// A workload goes with all its pods.
absl::Status Delete(SimulatedCluster& simulated, const Target& target);
absl::Status Rollout(SimulatedCluster& simulated, const Target& target);
absl::Status Reschedule(SimulatedCluster& simulated, const Target& target);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_WORKLOAD_ACTIONS_H_
