// What is told of a pod beside the verdicts of the filters.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_ADVICE_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_ADVICE_H_

#include <string>
#include <vector>

#include "core/engine/profile.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "server/commands/explain/explanation_report.h"

namespace vicinal {

// Adds a hint with the pods that preemption would take, if the pod fits nowhere
// and there are such. The cluster is changed and changed back. Cost: that of
// FindVictims (core/explain/victims.h).
void AddVictims(const Profile& filters, const PodInfo& pod,
                ClusterState& cluster, Explanation& explanation);

// Appends warnings of what is probably not meant: see FindMistakes
// (core/explain/counting_hints.h).
void AddMistakes(const Answer& answer, const ClusterState& cluster,
                 std::vector<std::string>& warnings);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_ADVICE_H_
