// One pass of `vicinal deschedule --evict`, in the simulated cluster.
#ifndef VICINAL_CORE_SIMULATE_DESCHEDULE_PASS_H_
#define VICINAL_CORE_SIMULATE_DESCHEDULE_PASS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/deschedule/policy.h"
#include "core/engine/profile.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// Lets controllers and scheduler work until nothing is left to do, with
// `preferred` taken where it is among the best nodes, and returns the nodes of
// the pods that were placed.
using SettlePreferring =
    std::function<std::vector<std::string>(const std::string& preferred)>;

// Evicts what a plan (core/deschedule/plan.h) says, and lets the cluster settle
// after each eviction. Of equally good nodes the replacement gets the one that
// the plan expects. When something else comes of an eviction, the rest is
// planned anew, with the evictions so far counted for the policy's limits.
// Notes say which pods were evicted and kept, and why. `profile` is the
// scheduler's, `now` in seconds since 1970. Returns the number of evictions.
// Cost: that of the plans, mostly one, and of placing the pods.
std::size_t DeschedulePass(const Profile& profile, const Policy& policy,
                           std::int64_t now, const SettlePreferring& settle,
                           SimulatedCluster& simulated);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_DESCHEDULE_PASS_H_
