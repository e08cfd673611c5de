// Which pods have to go so that a pod fits a node, for the scheduler's
// preemption.
//
// The scheduler has looked for victims with its own plugins and offers nodes
// with the pods that it would evict there. For each node the question is: with
// those gone, does the pod pass the profile's filters too? If not, the pods of
// lower priority that stand in the way are added, the least important ones, as
// far as that helps.
//
// Source: SelectVictimsOnNode in
// pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go. The
// victims are those that it finds with all plugins in one, with these
// differences:
// - a victim of the scheduler stays one, also where another pod that has to go
//   for a rule of ours makes its room unnecessary;
// - PodDisruptionBudgets are not known here: a pod that one protects is not
//   spared before others, and the count of violations stays that of the
//   scheduler;
// - where the scheduler's victims are enough, pods of lower priority that stay
//   may satisfy the pod's affinity. Upstream takes all of them away first and
//   then gives the node up.
#ifndef VICINAL_CORE_ENGINE_PREEMPT_H_
#define VICINAL_CORE_ENGINE_PREEMPT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

// The pods that have to leave `node_name` so that `pod` fits there, by uid,
// most important first (util.MoreImportantPod: priority, then the earlier
// start); std::nullopt if it does not fit all the same, or the node is not
// known.
//
// `victims` is the scheduler's choice, by uid. All of them are in the result;
// if nothing has to be added it is `victims` as it is. Those that are not
// (any more) on the node are taken for gone already, and follow the others. The
// result is empty only if `victims` is: releases up to 1.37 neither offer nor
// take a node without victims, those that offer one take one.
//
// The cluster is changed and changed back, so the caller needs it alone. Cost:
// two questions about one node if the pod fits without more victims or not at
// all, else one for each pod of lower priority on it; and removing and adding
// each of these pods.
std::optional<std::vector<std::string>> SelectVictims(
    const Profile& profile, ClusterState& cluster, const PodInfo& pod,
    std::string_view node_name, const std::vector<std::string>& victims);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_PREEMPT_H_
