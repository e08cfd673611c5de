// Which pods PodDisruptionBudgets protect from preemption.
// Source: FilterVictimsWithPDBViolation in
// pkg/scheduler/framework/preemption/util.go.
#ifndef VICINAL_CORE_ENGINE_VIOLATED_BUDGETS_H_
#define VICINAL_CORE_ENGINE_VIOLATED_BUDGETS_H_

#include <span>
#include <vector>

#include "core/index/cluster_state.h"

namespace vicinal {

// For each of the pods, which have to be there, whether a budget of its
// namespace would be violated if this pod and those before it were evicted. Up
// to 1.36 a pod takes from every budget that is about it; from 1.37 on from
// none behind the first that it violates, where upstream's order is random and
// the order here is by name. Thread-safe while the cluster does not change.
// Cost: O(pods × budgets of their namespaces × labels).
std::vector<bool> ViolatesBudgets(std::span<const ObjectKey> pods,
                                  const ClusterState& cluster);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_VIOLATED_BUDGETS_H_
