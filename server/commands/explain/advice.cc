#include "server/commands/explain/advice.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "core/explain/counting_hints.h"
#include "core/explain/victims.h"

namespace vicinal {

void AddVictims(const Profile& filters, const PodInfo& pod,
                ClusterState& cluster, Explanation& explanation) {
  if (explanation.fitting > 0) return;
  const std::optional<Victims> victims =
      FindVictims(filters, pod, explanation, cluster);
  if (!victims) return;
  explanation.hints.push_back(
      {absl::StrCat(
           "Preemption would take ", ListedPods(victims->pods),
           victims->pods.size() == 1 ? " (priority " : " (of priority at most ",
           victims->highest_priority, ") from ", victims->node,
           ", unless a PodDisruptionBudget or the pod's "
           "preemptionPolicy stops it."),
       {victims->node}});
}

void AddMistakes(const Answer& answer, const ClusterState& cluster,
                 std::vector<std::string>& warnings) {
  for (const std::string& mistake :
       FindMistakes(cluster, PodInfo(answer.question.pod), answer.explanation,
                    answer.question.path_prefix)) {
    warnings.push_back(NameOf(answer.question) + ": " + mistake);
  }
}

}  // namespace vicinal
