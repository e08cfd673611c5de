// Whether a pod is what a strategy looks for, and why.
#ifndef VICINAL_CORE_DESCHEDULE_VIOLATION_H_
#define VICINAL_CORE_DESCHEDULE_VIOLATION_H_

#include <string>

#include "core/deschedule/policy.h"
#include "core/deschedule/rule_tallies.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

// What the strategy finds wrong with the pod on `node`, from where it has been
// taken out; empty if nothing. Of soft rules only if there is a node that would
// be better by them. `costs` are those of the pod. Strategies that are about
// the pod's status find nothing.
std::string Violation(const ClusterState& cluster, const RuleTallies& rules,
                      const Strategy& strategy, const PodInfo& pod,
                      const PodCosts& costs, const NodeInfo& node);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_VIOLATION_H_
