#include "core/engine/decide.h"

#include <algorithm>
#include <cstdint>

namespace vicinal {

Decision Decide(const Profile& filters, const Profile& scores,
                const ClusterState& cluster, const PodInfo& pod,
                const CandidateNodes& nodes) {
  Decision decision;
  decision.filtered = RunFilterPlugins(filters, cluster, pod, nodes);
  decision.feasible = decision.filtered.statuses.Passed();
  const std::vector<std::size_t>& feasible = decision.feasible;
  if (feasible.size() <= 1) {
    decision.best = feasible;
    return decision;
  }
  const SelectedNodes selected(nodes, feasible);
  decision.scored =
      RunScorePlugins(scores, cluster, pod, selected.candidates());
  const ScoreOutcome& scored = decision.scored;
  if (!scored.status.ok()) return decision;
  const std::int64_t highest = *std::ranges::max_element(scored.totals);
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (scored.totals[i] == highest) decision.best.push_back(feasible[i]);
  }
  return decision;
}

std::size_t ChooseOne(const std::vector<std::size_t>& best,
                      std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> position(0, best.size() - 1);
  return best[position(random)];
}

}  // namespace vicinal
