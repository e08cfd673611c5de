// The actions that are about workloads and pods.
#ifndef VICINAL_CORE_SIMULATE_WORKLOAD_ACTIONS_H_
#define VICINAL_CORE_SIMULATE_WORKLOAD_ACTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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
// How many pods a workload is to have; the errors are those of Scale.
absl::StatusOr<std::int64_t> ReplicasOf(SimulatedCluster& simulated,
                                        const Target& target);
// The pods of a workload and of those below it.
struct PodCount {
  std::int64_t running = 0;
  std::int64_t pending = 0;
  std::string message;  // Why one of those is pending.
};
PodCount CountPods(const SimulatedCluster& simulated, const Target& target);
// A workload goes with all its pods.
absl::Status Delete(SimulatedCluster& simulated, const Target& target);
absl::Status Rollout(SimulatedCluster& simulated, const Target& target);
absl::Status Reschedule(SimulatedCluster& simulated, const Target& target);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_WORKLOAD_ACTIONS_H_
