// The verb preempt.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_PROCESS_PREEMPTION_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_PROCESS_PREEMPTION_H_

#include <vector>

#include "core/engine/profile.h"
#include "server/listeners/extender/preemption_args.h"
#include "server/state/cluster_store.h"

namespace vicinal {

// The candidates that remain, with the victims that it takes there
// (SelectVictims). Nodes that are not known yet are dropped.
//
// Thread-safe. Each candidate is tried in the store itself, which is locked for
// writing meanwhile, one after the other so that other questions get their
// turn.
std::vector<NodeVictims> ProcessPreemption(const Profile& rules,
                                           const Profile& resources,
                                           ClusterStore& store,
                                           const ExtenderPreemptionArgs& args);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_PROCESS_PREEMPTION_H_
