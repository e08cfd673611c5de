// The best nodes for a pod, in order.
#ifndef VICINAL_CORE_ENGINE_RANK_NODES_H_
#define VICINAL_CORE_ENGINE_RANK_NODES_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/status.h"

namespace vicinal {

struct RankedNodes {
  // Success, or the Error of a plugin, with which the scheduler would end the
  // attempt.
  Status status;
  // Candidates, by position, that pass the filters: the highest total first,
  // those of one total in random order. Empty if none passes, or on error.
  std::vector<std::size_t> best;
  std::size_t passed = 0;  // How many candidates pass the filters.
};

// Filters `nodes`, scores those that pass, and takes the first `limit` in
// order. One that passes alone is taken without a look at its score.
// Cost: that of RunFilterPlugins and RunScorePlugins.
// Source: schedulePod in pkg/scheduler/schedule_one.go.
RankedNodes RankNodes(const Profile& profile, const ClusterState& cluster,
                      const PodInfo& pod, const CandidateNodes& nodes,
                      std::size_t limit, std::mt19937_64& random);

// The positions of the `limit` highest of `totals`, the highest first, equal
// ones in random order: each order is equally likely.
// Cost: O(totals + limit × log limit) on average.
// Source: nodeScoreHeap.Less in pkg/scheduler/framework/sorted_nodes.go.
std::vector<std::size_t> HighestTotals(std::span<const std::int64_t> totals,
                                       std::size_t limit,
                                       std::mt19937_64& random);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_RANK_NODES_H_
