#include "core/simulate/simulator.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/simulate/controllers.h"
#include "core/simulate/deschedule_pass.h"
#include "core/simulate/evict.h"
#include "core/simulate/node_actions.h"
#include "core/simulate/workload_actions.h"

namespace vicinal {
namespace {

constexpr int kMaxPasses = 1000;
// Of fill: so many pods are added at a time, until there are so many.
constexpr std::int64_t kFillStep = 50;
constexpr std::int64_t kMostPods = 200'000;
// Of add-nodes as-needed.
constexpr std::int64_t kMostNodes = 10'000;

std::size_t PendingPods(const SimulatedCluster& simulated) {
  std::size_t pending = 0;
  for (const auto& [key, pod] : simulated.pods()) {
    if (pod.node.empty()) ++pending;
  }
  return pending;
}

}  // namespace

Simulator::Simulator(SimulatedCluster& simulated, const Profile& profile,
                     SimulatorOptions options)
    : simulated_(simulated),
      until_stable_(options.until_stable),
      now_(options.now),
      scheduler_(profile, options.seed, std::move(options.on_placement)) {}

absl::Status Simulator::CarryOnNodes(const Action& action) {
  const absl::StatusOr<std::vector<std::string>> nodes =
      NodesOf(simulated_, action);
  if (!nodes.ok()) return nodes.status();
  if (action.verb == Verb::kDrain) return Drain(action, *nodes);
  for (const std::string& node : *nodes) {
    absl::Status status =
        action.verb == Verb::kRemoveNode
            ? RemoveNode(simulated_, node)
            : Cordon(simulated_, node, action.verb == Verb::kCordon);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Simulator::Drain(const Action& action,
                              const std::vector<std::string>& nodes) {
  // All of them before a pod is placed again.
  for (const std::string& node : nodes) {
    absl::Status status = Cordon(simulated_, node, true);
    if (!status.ok()) return status;
  }
  // As kubectl does: what a budget does not let go is tried again when the
  // successors of others run.
  std::map<ObjectKey, std::string> kept;  // With the budget.
  bool evicted = true;
  for (bool first = true; first || (evicted && !kept.empty()); first = false) {
    if (!first) SettleOnce();
    kept.clear();
    evicted = false;
    Budgets::Allowance allowance(*budgets_, simulated_);
    for (const std::string& node : nodes) {
      for (const ObjectKey& key : simulated_.PodsOn(node)) {
        if (StaysInDrain(*simulated_.FindPod(key))) continue;
        std::string against = allowance.Take(simulated_, key);
        if (!against.empty()) {
          kept.emplace(key, std::move(against));
          continue;
        }
        EvictPod(simulated_, key);
        evicted = true;
      }
    }
  }
  std::map<std::string, std::int64_t> stay;  // By budget.
  for (const auto& [key, budget] : kept) ++stay[budget];
  for (const auto& [budget, pods] : stay) {
    simulated_.Note(absl::StrCat(
        action.text, ": ", pods, pods == 1 ? " pod stays" : " pods stay",
        ": PodDisruptionBudget ", budget, " allows no more evictions"));
  }
  return absl::OkStatus();
}

absl::Status Simulator::Carry(Action& action) {
  switch (action.verb) {
    case Verb::kApply:
      return Apply(simulated_, std::move(action.items));
    case Verb::kScale:
      return Scale(simulated_, action.target, *action.count);
    case Verb::kDelete:
      return Delete(simulated_, action.target);
    case Verb::kCordon:
    case Verb::kUncordon:
    case Verb::kDrain:
    case Verb::kRemoveNode:
      return CarryOnNodes(action);
    case Verb::kAddNodes:
      return action.count
                 ? CopyNode(simulated_, action.nodes.front(), *action.count)
                 : AddAsNeeded(action);
    case Verb::kFill:
      return Fill(action);
    case Verb::kLabelNode:
      return LabelNode(simulated_, action);
    case Verb::kTaintNode:
      return TaintNode(simulated_, action);
    case Verb::kAddNode:
      return action.nodes.empty()
                 ? Apply(simulated_, std::move(action.items))
                 : CopyNode(simulated_, action.nodes.front(), *action.count);
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

absl::Status Simulator::Fill(const Action& action) {
  const absl::StatusOr<std::int64_t> wanted =
      ReplicasOf(simulated_, action.target);
  if (!wanted.ok()) return wanted.status();
  const auto scale = [&](std::int64_t replicas) {
    absl::Status status = Scale(simulated_, action.target, replicas);
    if (status.ok()) SettleOnce();
    return status;
  };
  std::int64_t replicas = *wanted;
  PodCount count = CountPods(simulated_, action.target);
  const std::int64_t before = count.running;
  while (count.pending == 0 && count.running < kMostPods) {
    replicas += kFillStep;
    if (absl::Status status = scale(replicas); !status.ok()) return status;
    count = CountPods(simulated_, action.target);
  }
  const std::string stop =
      count.pending == 0
          ? absl::StrCat("the limit of this command, ", kMostPods, " pods")
          : count.message;
  // Those that wait are the first to go.
  if (replicas != *wanted) {
    absl::Status status = scale(std::max(*wanted, count.running));
    if (!status.ok()) return status;
  }
  simulated_.Note(absl::StrCat(action.text, ": ", count.running - before,
                               " more fit, ", count.running,
                               " in all; the next: ", stop));
  return absl::OkStatus();
}

absl::Status Simulator::AddAsNeeded(const Action& action) {
  const std::string& node = action.nodes.front();
  SettleOnce();
  std::int64_t added = 0;
  std::size_t pending = PendingPods(simulated_);
  while (pending > 0 && added < kMostNodes) {
    std::string copy;
    absl::Status status = CopyNode(simulated_, node, 1, &copy);
    if (!status.ok()) return status;
    SettleOnce();
    const std::size_t left = PendingPods(simulated_);
    if (left >= pending) {
      // One more of them is no help.
      simulated_.Note(absl::StrCat(
          action.text, ": ", left, " pods stay pending with any number; ",
          added, " more nodes hold what such nodes can hold"));
      return RemoveNode(simulated_, copy);
    }
    ++added;
    pending = left;
  }
  simulated_.Note(
      pending > 0
          ? absl::StrCat(action.text, ": given up after ", added, " nodes")
          : absl::StrCat(action.text, ": ", added,
                         added == 1 ? " more node is" : " more nodes are",
                         " enough"));
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
  if (!budgets_) budgets_.emplace(simulated_);
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
