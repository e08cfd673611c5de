#include "core/simulate/chooser.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/engine/fit_error.h"
#include "core/engine/run_plugins.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {
namespace {

// What the scheduler writes into the condition after an error.
std::string ErrorOf(const FilterOutcome& filtered) {
  for (const Status& status : filtered.statuses.distinct()) {
    if (status.code() == Code::kError) return status.Message();
  }
  return "";
}

}  // namespace

Chooser::Chooser(Profile profile, std::uint64_t seed)
    : profile_(std::move(profile)), random_(seed) {}

Choice Chooser::Choose(const ClusterState& cluster, const PodInfo& pod) {
  const CandidateNodes nodes(cluster.Nodes(), cluster.NodeIds());
  const FilterOutcome filtered =
      RunFilterPlugins(profile_, cluster, pod, nodes);
  Choice choice;
  choice.message = ErrorOf(filtered);
  if (!choice.message.empty()) return choice;
  std::vector<const NodeInfo*> feasible;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (filtered.statuses.ok(i)) feasible.push_back(nodes[i]);
  }
  if (feasible.empty()) {
    choice.message = FitErrorMessage(filtered);
    return choice;
  }
  if (feasible.size() == 1) {
    choice.node = feasible.front();
    return choice;
  }
  const ScoreOutcome scored = RunScorePlugins(profile_, cluster, pod, feasible);
  if (!scored.status.ok()) {
    choice.message = scored.status.Message();
    return choice;
  }
  const std::int64_t best =
      *std::max_element(scored.totals.begin(), scored.totals.end());
  std::erase_if(feasible, [&, i = std::size_t{0}](const NodeInfo*) mutable {
    return scored.totals[i++] != best;
  });
  for (const NodeInfo* node : feasible) {
    if (!preferred_.empty() && node->Name() == preferred_) {
      choice.node = node;
      return choice;
    }
  }
  std::uniform_int_distribution<std::size_t> any(0, feasible.size() - 1);
  choice.node = feasible[any(random_)];
  return choice;
}

}  // namespace vicinal
