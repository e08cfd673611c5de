#include "server/commands/simulate/preemption_notes.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/explain/explain.h"
#include "core/explain/victims.h"
#include "server/commands/explain/explanation_report.h"

namespace vicinal {
namespace {

constexpr std::size_t kMostPods = 5;

// One of each controller, the highest priority first.
std::vector<std::shared_ptr<const PodInfo>> ToLookAt(
    const SimulatedCluster& simulated) {
  std::vector<std::shared_ptr<const PodInfo>> pods;
  std::set<OwnerKey> owners;
  for (const auto& [key, pod] : simulated.pods()) {
    if (pod.pending == nullptr) continue;
    if (pod.owner && !owners.insert(*pod.owner).second) continue;
    pods.push_back(pod.pending);
  }
  std::ranges::stable_sort(pods, std::greater<>(), [](const auto& pod) {
    return PodPriority(pod->pod);
  });
  if (pods.size() > kMostPods) pods.resize(kMostPods);
  return pods;
}

}  // namespace

void NotePreemption(const SchedulerProfile& profile,
                    SimulatedCluster& simulated) {
  for (const auto& pod : ToLookAt(simulated)) {
    const Explanation explanation = Explain(
        simulated.cluster(), profile.explain, profile.plugin_config, *pod);
    if (explanation.fitting > 0) continue;
    const std::optional<Victims> victims = FindVictims(
        profile.explain, *pod, explanation, simulated.MutableCluster());
    if (!victims) continue;
    simulated.Note(absl::StrCat(
        "preemption is not simulated: for ", pod->pod.meta.namespace_name, "/",
        pod->pod.meta.name, " (priority ", PodPriority(pod->pod),
        ") it would take ", ListedPods(victims->pods),
        victims->pods.size() == 1 ? " (priority " : " (of priority at most ",
        victims->highest_priority, ") from ", victims->node,
        ", unless a PodDisruptionBudget or the pod's preemptionPolicy stops "
        "it"));
  }
}

}  // namespace vicinal
