// The message that says why a pod fits nowhere.
#ifndef VICINAL_CORE_ENGINE_FIT_ERROR_H_
#define VICINAL_CORE_ENGINE_FIT_ERROR_H_

#include <string>

#include "core/engine/run_plugins.h"

namespace vicinal {

// `0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 ….`: a
// histogram of the reasons, as in the pod's PodScheduled condition. Empty if
// some node fits or the question was in error; "no nodes available to schedule
// pods" if there were no nodes (ErrNoNodesAvailable).
// Source: FitError.Error in pkg/scheduler/framework/types.go.
std::string FitErrorMessage(const FilterOutcome& outcome);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_FIT_ERROR_H_
