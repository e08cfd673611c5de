#include "core/simulate/chooser.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/engine/decide.h"
#include "core/engine/fit_error.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {
namespace {

// What the scheduler writes into the condition after an error.
std::string ErrorOf(const Decision& decision) {
  for (const Status& status : decision.filtered.statuses.distinct()) {
    if (status.code() == Code::kError) return status.Message();
  }
  return decision.scored.status.ok() ? "" : decision.scored.status.Message();
}

}  // namespace

Chooser::Chooser(const Profile& profile, std::uint64_t seed)
    : profile_(profile), random_(seed) {}

Choice Chooser::Choose(const ClusterState& cluster, const PodInfo& pod) {
  const CandidateNodes nodes = AllNodes(cluster);
  const Decision decision = Decide(profile_, cluster, pod, nodes);
  Choice choice;
  choice.message = ErrorOf(decision);
  if (!choice.message.empty()) return choice;
  if (decision.best.empty()) {
    choice.message = FitErrorMessage(decision.filtered);
    return choice;
  }
  const auto preferred =
      std::ranges::find_if(decision.best, [&](std::size_t position) {
        return nodes[position]->Name() == preferred_;
      });
  choice.node = nodes[preferred != decision.best.end()
                          ? *preferred
                          : ChooseOne(decision.best, random_)];
  return choice;
}

}  // namespace vicinal
