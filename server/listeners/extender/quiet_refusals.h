// Refusals that the scheduler takes without a try to preempt.
//
// kube-scheduler up to 1.37 runs its preemption on every node that an extender
// answers as merely failed. Its own filters pass there without any eviction, so
// it finds no victim and reports "expected at least one victim pod on node" for
// each node, in random order. That text becomes part of the pod's condition,
// each new text is a write, and each write brings the pod back at once: from
// some fifteen nodes on, one such pod is tried fifty times a second. A node
// that is answered as unresolvable is left alone.
//
// Source: findCandidates and SelectVictimsOnNode in
// pkg/scheduler/framework/preemption/preemption.go, PodEligibleToPreemptOthers
// in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_QUIET_REFUSALS_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_QUIET_REFUSALS_H_

#include <string_view>

#include "server/listeners/extender/extender_result.h"

namespace vicinal {

// Moves the failed nodes to the unresolvable ones, with their reasons, behind
// those that are there. `nominated`, the node of the pod's
// status.nominatedNodeName or "", stays where it is: there the scheduler waits
// for its victims to end, and would evict others if the node were unresolvable.
// Cost: O(failed nodes).
void MakeQuiet(std::string_view nominated, ExtenderFilterResult& result);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_QUIET_REFUSALS_H_
