#include "core/simulate/simulator.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/simulate/controllers.h"
#include "core/simulate/node_actions.h"
#include "core/simulate/workload_actions.h"

namespace vicinal {

Simulator::Simulator(World& world, Profile profile, SimulatorOptions options)
    : world_(world),
      until_stable_(options.until_stable),
      scheduler_(std::move(profile), options.seed,
                 std::move(options.on_placement)) {}

absl::Status Simulator::Carry(Action& action) {
  switch (action.verb) {
    case Verb::kApply:
      return Apply(world_, std::move(action.items));
    case Verb::kScale:
      return Scale(world_, action.target, action.count);
    case Verb::kDelete:
      return Delete(world_, action.target);
    case Verb::kCordon:
      return Cordon(world_, action.nodes.front(), true);
    case Verb::kUncordon:
      return Cordon(world_, action.nodes.front(), false);
    case Verb::kDrain:
      return Drain(world_, action.nodes.front());
    case Verb::kLabelNode:
      return LabelNode(world_, action);
    case Verb::kTaintNode:
      return TaintNode(world_, action);
    case Verb::kAddNode:
      return action.nodes.empty()
                 ? Apply(world_, std::move(action.items))
                 : CopyNode(world_, action.nodes.front(), action.count);
    case Verb::kRemoveNode:
      return RemoveNode(world_, action.nodes.front());
    case Verb::kRollout:
      return Rollout(world_, action.target);
    case Verb::kReschedule:
      return Reschedule(world_, action.target);
  }
  return absl::OkStatus();
}

absl::Status Simulator::Do(Action action) {
  const absl::Status status = Carry(action);
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat(action.text, ": ", status.message()));
  }
  Settle();
  return absl::OkStatus();
}

void Simulator::SettleOnce() {
  do {
    RunControllers(world_);
    scheduler_.Run(world_);
  } while (world_.HasTouched());
}

void Simulator::Settle() {
  SettleOnce();
  while (until_stable_ && FinishJobPods(world_)) SettleOnce();
}

}  // namespace vicinal
