// What a simulation came to: where every pod went, before and after.
#ifndef VICINAL_CORE_SIMULATE_SIMULATION_REPORT_H_
#define VICINAL_CORE_SIMULATE_SIMULATION_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/simulate/simulated_cluster.h"
#include "core/simulate/spread_report.h"

namespace vicinal {

enum class Fate {
  kUnchanged,
  kNew,     // Created; it may be pending.
  kPlaced,  // It was pending.
  kMoved,   // Of the same name, elsewhere (StatefulSets).
  kGone,
};

// `new`, as it is printed.
std::string_view NameOf(Fate fate);

struct PodReport {
  ObjectKey pod;
  Fate fate = Fate::kUnchanged;
  std::string workload;     // `Deployment/web`; empty: none.
  std::string node_before;  // Empty: pending, or not there.
  std::string node;         // Empty: pending, or gone.
  std::string message;      // Why it is pending, in the scheduler's words.
};

struct Report {
  // By namespace and name: the pods that changed or are pending, or all.
  std::vector<PodReport> pods;
  // Of the workloads whose pods changed; by the keys that their rules name, by
  // host, and by zone if the nodes have zones.
  std::vector<SpreadReport> spreads;
  std::int64_t nodes = 0;
  std::int64_t running_before = 0;
  std::int64_t running = 0;
  std::int64_t pending_before = 0;
  std::int64_t pending = 0;
  // Of workloads: pods that ran and run elsewhere, be it under another name;
  // pods that run in addition; pods that ran and are no more.
  std::int64_t moved = 0;
  std::int64_t started = 0;
  std::int64_t stopped = 0;
  // Pods that break a hard rule where they run: CountBrokenRules, before and
  // after.
  std::int64_t broken_before = 0;
  std::int64_t broken = 0;
  std::vector<std::string> notes;
};

// How often running pods break hard rules: (anti-)affinity, node affinity,
// taints and DoNotSchedule constraints, as vicinal deschedule counts them.
// Cost: O(pods + constraints × nodes).
std::int64_t CountBrokenRules(const ClusterState& cluster);

// `broken_before` is CountBrokenRules of the beginning.
// Cost: O(pods + nodes × workloads that changed), and that of CountBrokenRules.
Report BuildReport(const SimulatedCluster& simulated, bool all_pods,
                   std::int64_t broken_before = 0);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SIMULATION_REPORT_H_
