#include "core/simulate/scheduler.h"

#include <memory>
#include <utility>

namespace vicinal {
namespace {

// Whether filters cannot tell two pods apart.
bool AreAlike(const Pod& a, const Pod& b) {
  return a.meta.namespace_name == b.meta.namespace_name &&
         a.meta.labels == b.meta.labels && a.spec == b.spec &&
         a.status == b.status;
}

}  // namespace

Choice Scheduler::Choose(const SimulatedCluster& simulated,
                         const PodInfo& pod) {
  if (last_generation_ == simulated.generation() &&
      AreAlike(last_failed_->pod, pod.pod)) {
    return {nullptr, last_message_};
  }
  return chooser_.Choose(simulated.cluster(), pod);
}

void Scheduler::Run(SimulatedCluster& simulated) {
  while (const std::shared_ptr<const PodInfo> pod = simulated.queue().Pop()) {
    const ObjectKey key = KeyOf(pod->pod.meta);
    Choice choice = Choose(simulated, *pod);
    if (choice.node == nullptr) {
      last_failed_ = pod;
      last_message_ = choice.message;
      last_generation_ = simulated.generation();
      simulated.SetMessage(key, std::move(choice.message));
      simulated.queue().Park(pod);
      continue;
    }
    const std::string node = choice.node->Name();
    if (on_placement_) on_placement_(simulated, *pod, node);
    simulated.BindPod(key, node);
    placements_.push_back(node);
  }
}

}  // namespace vicinal
