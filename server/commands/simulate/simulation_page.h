// Draws a simulation: the cluster before and after, side by side.
//
//   Page page = StartSimulationPage(simulated);
//   …                                          // The simulation.
//   FinishSimulationPage(simulated, report, steps, profile, config, page);
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_SIMULATION_PAGE_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_SIMULATION_PAGE_H_

#include <vector>

#include "core/engine/profile.h"
#include "core/plugins/plugin_config.h"
#include "core/simulate/simulated_cluster.h"
#include "core/simulate/simulation_report.h"
#include "server/commands/page/page.h"
#include "server/commands/simulate/print_report.h"

namespace vicinal {

// A page with the view of the cluster as it is. Cost: O(nodes + pods).
Page StartSimulationPage(const SimulatedCluster& simulated);

// Adds the cluster as it is now, marks what has changed, and says why pods are
// pending: of each workload that has such pods one is explained, in the view
// after for the first workload and in views of their own for up to three more.
// `profile` and `config` are those that the pods were scheduled by.
// Cost: that of Explain for each, O(nodes + pods).
void FinishSimulationPage(const SimulatedCluster& simulated,
                          const Report& report,
                          const std::vector<StepResult>& steps,
                          const Profile& profile, const PluginConfig& config,
                          Page& page);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_SIMULATION_PAGE_H_
