#include "core/simulate/simulator.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/simulate/controllers.h"
#include "core/simulate/deschedule_pass.h"
#include "core/simulate/node_actions.h"
#include "core/simulate/workload_actions.h"

namespace vicinal {
namespace {

constexpr int kMaxPasses = 1000;

}  // namespace

Simulator::Simulator(SimulatedCluster& simulated, Profile profile,
                     SimulatorOptions options)
    : simulated_(simulated),
      until_stable_(options.until_stable),
      now_(options.now),
      scheduler_(std::move(profile), options.seed,
                 std::move(options.on_placement)) {}

absl::Status Simulator::Carry(Action& action) {
  switch (action.verb) {
    case Verb::kApply:
      return Apply(simulated_, std::move(action.items));
    case Verb::kScale:
      return Scale(simulated_, action.target, action.count);
    case Verb::kDelete:
      return Delete(simulated_, action.target);
    case Verb::kCordon:
      return Cordon(simulated_, action.nodes.front(), true);
    case Verb::kUncordon:
      return Cordon(simulated_, action.nodes.front(), false);
    case Verb::kDrain:
      return Drain(simulated_, action.nodes.front());
    case Verb::kLabelNode:
      return LabelNode(simulated_, action);
    case Verb::kTaintNode:
      return TaintNode(simulated_, action);
    case Verb::kAddNode:
      return action.nodes.empty()
                 ? Apply(simulated_, std::move(action.items))
                 : CopyNode(simulated_, action.nodes.front(), action.count);
    case Verb::kRemoveNode:
      return RemoveNode(simulated_, action.nodes.front());
    case Verb::kRollout:
      return Rollout(simulated_, action.target);
    case Verb::kReschedule:
      return Reschedule(simulated_, action.target);
    case Verb::kDeschedule:
      Deschedule(action.policy ? *action.policy : DefaultPolicy());
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

void Simulator::Deschedule(const Policy& policy) {
  const auto settle = [this](const std::string& preferred) {
    scheduler_.TakePlacements();
    scheduler_.Prefer(preferred);
    SettleOnce();
    scheduler_.Prefer("");
    return scheduler_.TakePlacements();
  };
  for (int passes = 0; passes < kMaxPasses; ++passes) {
    const std::size_t evictions =
        DeschedulePass(scheduler_.profile(), policy, now_, settle, simulated_);
    if (evictions == 0 || !until_stable_) return;
  }
  simulated_.Note(
      absl::StrCat("deschedule: there would be more to evict after ",
                   kMaxPasses, " passes"));
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
    RunControllers(simulated_);
    scheduler_.Run(simulated_);
  } while (simulated_.HasTouched());
}

void Simulator::Settle() {
  SettleOnce();
  while (until_stable_ && FinishJobPods(simulated_)) SettleOnce();
}

}  // namespace vicinal
