// What preemption would do for pods that stay pending in a simulation.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_PREEMPTION_NOTES_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_PREEMPTION_NOTES_H_

#include "core/simulate/simulated_cluster.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {

// Nobody is preempted in a simulation. For the pending pods of the highest
// priority, one of each controller and five at most, a note says whom the
// scheduler would take, if that helps. The cluster is changed and changed back.
// Cost: that of Explain and FindVictims for each.
void NotePreemption(const SchedulerProfile& profile,
                    SimulatedCluster& simulated);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_PREEMPTION_NOTES_H_
