// Does what a script says, and lets the cluster settle after each action.
//
//   Simulator simulator(simulated, DefaultProfile({}), {.seed = 1});
//   simulator.Do(action);
//   Report report = BuildReport(simulated);
#ifndef VICINAL_CORE_SIMULATE_SIMULATOR_H_
#define VICINAL_CORE_SIMULATE_SIMULATOR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/engine/profile.h"
#include "core/simulate/action.h"
#include "core/simulate/budgets.h"
#include "core/simulate/scheduler.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

struct SimulatorOptions {
  std::uint64_t seed = 0;
  // Lets time pass after each action: Jobs run to completion, and deschedule
  // makes passes until there is nothing to evict.
  bool until_stable = false;
  std::int64_t now = 0;      // Seconds since 1970.
  OnPlacement on_placement;  // May be empty.
};

class Simulator {
 public:
  // `simulated` and `profile` must outlive the simulator. The budgets that are
  // in `simulated` at the first action hold for each drain.
  Simulator(SimulatedCluster& simulated, const Profile& profile,
            SimulatorOptions options);

  // Does one action, then lets controllers and scheduler work until nothing is
  // left to do. Errors begin with the action's text; the cluster may then be
  // half changed.
  absl::Status Do(Action action);

  // Lets controllers and scheduler work until nothing is left to do.
  void Settle();

 private:
  absl::Status Carry(Action& action);
  absl::Status CarryOnNodes(const Action& action);
  absl::Status Drain(const Action& action,
                     const std::vector<std::string>& nodes);
  absl::Status Fill(const Action& action);
  absl::Status AddAsNeeded(const Action& action);
  void Deschedule(const Policy& policy);
  void SettleOnce();

  SimulatedCluster& simulated_;
  std::optional<Budgets> budgets_;  // As of the first action.
  const bool until_stable_;
  const std::int64_t now_;
  Scheduler scheduler_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SIMULATOR_H_
