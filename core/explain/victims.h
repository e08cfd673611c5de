// Which pods preemption would take.
#ifndef VICINAL_CORE_EXPLAIN_VICTIMS_H_
#define VICINAL_CORE_EXPLAIN_VICTIMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/profile.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

struct Victims {
  std::string node;
  std::vector<PodReference> pods;  // The most important first.
  std::int32_t highest_priority = 0;
  std::size_t violations = 0;  // Of PodDisruptionBudgets, one at most by pod.
};

// For a pod that fits nowhere: the node where the pods of lower priority that
// have to go matter least, by the PodDisruptionBudgets that they violate, their
// highest priority, the sum of their priorities and their number. Nothing if no
// such pods help. The cluster is changed and changed back. Cost: O(pods of
// lower priority × filters) and ViolatesBudgets, on at most `max_nodes` nodes.
// Source: SelectVictimsOnNode and pickOneNodeForPreemption in
// pkg/scheduler/framework/{plugins/defaultpreemption,preemption}.
std::optional<Victims> FindVictims(const Profile& filters, const PodInfo& pod,
                                   const Explanation& explanation,
                                   ClusterState& cluster,
                                   std::size_t max_nodes = 100);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_VICTIMS_H_
