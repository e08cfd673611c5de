// What must hold after a step, and whether it does.
#ifndef VICINAL_CORE_SIMULATE_EXPECTATION_H_
#define VICINAL_CORE_SIMULATE_EXPECTATION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/labels.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// The pods of a namespace that carry all these labels.
struct PodSet {
  std::string namespace_name;
  Labels labels;
};

// How the running pods lie over the domains of a topology key. One of counts,
// one_of and beside is set.
struct WhereClaim {
  std::string topology_key;
  // The numbers of pods per domain, in any order.
  std::vector<std::int64_t> counts;
  // The pods per domain are exactly one of these.
  std::vector<std::map<std::string, std::int64_t>> one_of;
  // Every domain with a pod of the set has one of this other set.
  std::optional<PodSet> beside;
};

struct Expectation {
  PodSet pods;
  std::int64_t running = 0;
  std::int64_t pending = 0;
  std::vector<WhereClaim> where;
  // What the scheduler says of every pending pod, without what it adds about
  // preemption; absent: anything.
  std::optional<std::string> reasons;
  // Every pod of the set that ran before the step runs where it ran.
  bool unmoved = false;
};

// Where pods were before a step.
using Placements = std::map<ObjectKey, std::string>;

// What differs, in lines that say what was expected and what there is; empty if
// nothing. Cost: O(pods).
std::string Problem(const Expectation& expectation,
                    const SimulatedCluster& simulated,
                    const Placements& before);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_EXPECTATION_H_
