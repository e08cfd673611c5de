// Which pods have to go so that a pod fits a node, for the scheduler's
// preemption.
//
// The scheduler has looked for victims with its own plugins and offers nodes
// with the pods that it would evict there. Where room is all that it has looked
// for, its choice can be made again here; then the answer is the choice that it
// would make with all plugins in one: all pods of lower priority go, and come
// back one after the other, the most important first, if the pod still fits.
//
// Else the scheduler has reasons that are not known here, such as ports or
// volumes, or it has seen other PodDisruptionBudgets. Then all its victims stay
// victims, and the pods of lower priority that stand in the way of the rules
// are added, the least important ones that no budget protects, as far as that
// helps. Differences from all plugins in one are then:
// - a victim stays one where another that has to go for a rule of ours makes
//   its room unnecessary;
// - where the victims are enough, pods of lower priority that stay may satisfy
//   the pod's affinity. Upstream takes all of them away first and then gives
//   the node up.
//
// Source: SelectVictimsOnNode in
// pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
#ifndef VICINAL_CORE_ENGINE_SELECT_VICTIMS_H_
#define VICINAL_CORE_ENGINE_SELECT_VICTIMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

struct SelectedVictims {
  std::vector<std::string> uids;
  // How many of them violate a PodDisruptionBudget.
  std::int64_t num_pdb_violations = 0;

  friend bool operator==(const SelectedVictims&,
                         const SelectedVictims&) = default;
};

// The pods that have to leave `node_name` so that `pod` fits there, most
// important first (util.MoreImportantPod: priority, then the earlier start);
// std::nullopt if it does not fit all the same, the node is not known,
// or a victim is on another node: the pods of a group may have to go together,
// and the scheduler does not understand an answer with such a pod.
//
// `rules` are the filters that the scheduler leaves to us, `resources` is
// NodeResourcesFit. `victims` is the scheduler's choice. If nothing has to
// change it is the result as it is. Those that are not known (any more) are
// taken for gone already, and follow the others. The result is empty only if
// `victims` is: releases up to 1.37 neither offer nor take a node without
// victims, those that offer one take one.
//
// The cluster is changed and changed back, so the caller needs it alone. Cost:
// up to two questions for each pod of lower priority on the node, removing and
// adding each of these pods twice, and ViolatesBudgets; for a victim that is
// not on the node O(pods of the cluster).
std::optional<SelectedVictims> SelectVictims(const Profile& rules,
                                             const Profile& resources,
                                             ClusterState& cluster,
                                             const PodInfo& pod,
                                             std::string_view node_name,
                                             const SelectedVictims& victims);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_SELECT_VICTIMS_H_
