#include "core/engine/rank_nodes.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "core/engine/run_plugins.h"

namespace vicinal {
namespace {

// The error of a plugin about any node, which ends a scheduling attempt.
Status ErrorOf(const FilterOutcome& outcome) {
  if (outcome.pre_filter.code() == Code::kError) return outcome.pre_filter;
  for (const Status& status : outcome.statuses.distinct()) {
    if (status.code() == Code::kError) return status;
  }
  return Status();
}

}  // namespace

RankedNodes RankNodes(const Profile& profile, const ClusterState& cluster,
                      const PodInfo& pod, const CandidateNodes& nodes,
                      std::size_t limit, std::mt19937_64& random) {
  RankedNodes ranked;
  const FilterOutcome filtered = RunFilterPlugins(profile, cluster, pod, nodes);
  ranked.status = ErrorOf(filtered);
  if (!ranked.status.ok()) return ranked;
  std::vector<std::size_t> feasible = filtered.statuses.Passed();
  ranked.passed = feasible.size();
  if (feasible.size() <= 1) {
    ranked.best = std::move(feasible);
    return ranked;
  }
  const SelectedNodes selected(nodes, feasible);
  ScoreOutcome scored =
      RunScorePlugins(profile, cluster, pod, selected.candidates());
  ranked.status = std::move(scored.status);
  if (!ranked.status.ok()) return ranked;
  ranked.best = HighestTotals(scored.totals, limit, random);
  for (std::size_t& position : ranked.best) position = feasible[position];
  return ranked;
}

std::vector<std::size_t> HighestTotals(std::span<const std::int64_t> totals,
                                       std::size_t limit,
                                       std::mt19937_64& random) {
  limit = std::min(limit, totals.size());
  if (limit == 0) return {};
  // What the last place needs: the lowest of the highest so far is on top.
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>>
      highest;
  for (const std::int64_t total : totals) {
    if (highest.size() == limit) {
      if (total <= highest.top()) continue;
      highest.pop();
    }
    highest.push(total);
  }
  const std::int64_t last = highest.top();
  std::vector<std::size_t> best;
  std::vector<std::size_t> at_the_edge;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] > last) best.push_back(i);
    if (totals[i] == last) at_the_edge.push_back(i);
  }
  std::ranges::shuffle(best, random);
  std::ranges::stable_sort(best, std::greater(),
                           [totals](std::size_t i) { return totals[i]; });
  // As many of the others as there is room for, each in its turn.
  for (std::size_t taken = 0; best.size() < limit; ++taken) {
    std::uniform_int_distribution<std::size_t> place(taken,
                                                     at_the_edge.size() - 1);
    std::swap(at_the_edge[taken], at_the_edge[place(random)]);
    best.push_back(at_the_edge[taken]);
  }
  return best;
}

}  // namespace vicinal
