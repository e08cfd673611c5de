// Takes pods from their nodes.
#ifndef VICINAL_CORE_SIMULATE_EVICT_H_
#define VICINAL_CORE_SIMULATE_EVICT_H_

#include <string>
#include <vector>

#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// Deletes a pod. Its controller makes another one; a controller that is not
// known (dumps usually lack Jobs and custom workloads) is taken to make an
// equal one. Pods without a controller are gone for good. Notes say which.
void EvictPod(SimulatedCluster& simulated, const ObjectKey& key);

// Whether a drain leaves the pod where it is: DaemonSet and static pods.
bool StaysInDrain(const SimulatedPod& pod);

// The pods on a node that do not tolerate its NoExecute taints.
std::vector<ObjectKey> NotTolerating(const SimulatedCluster& simulated,
                                     const std::string& node);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_EVICT_H_
