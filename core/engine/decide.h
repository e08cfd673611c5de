// Which node a pod goes to, as the scheduler would choose it.
#ifndef VICINAL_CORE_ENGINE_DECIDE_H_
#define VICINAL_CORE_ENGINE_DECIDE_H_

#include <cstddef>
#include <random>
#include <vector>

#include "core/engine/profile.h"
#include "core/engine/run_plugins.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {

struct Decision {
  FilterOutcome filtered;
  // The candidates, by position, that pass the filters.
  std::vector<std::size_t> feasible;
  // Of those, side by side; nothing if one passes at most.
  ScoreOutcome scored;
  // The candidates, by position, that pass the filters and have the highest
  // total. Empty if none passes, or scoring failed.
  std::vector<std::size_t> best;
};

// Filters `nodes` by one profile and scores those that pass by another. One
// that passes alone is taken without a look at its score. Cost: that of
// RunFilterPlugins and RunScorePlugins. Source: schedulePod in
// pkg/scheduler/schedule_one.go.
Decision Decide(const Profile& filters, const Profile& scores,
                const ClusterState& cluster, const PodInfo& pod,
                const CandidateNodes& nodes);

// The same by one profile for both.
inline Decision Decide(const Profile& profile, const ClusterState& cluster,
                       const PodInfo& pod, const CandidateNodes& nodes) {
  return Decide(profile, profile, cluster, pod, nodes);
}

// One of `best`, which must not be empty; each is equally likely.
// Source: nodeScoreHeap.Less in pkg/scheduler/framework/sorted_nodes.go.
std::size_t ChooseOne(const std::vector<std::size_t>& best,
                      std::mt19937_64& random);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_DECIDE_H_
