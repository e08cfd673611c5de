#include "core/simulate/simulation_report.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/deschedule/rule_tallies.h"
#include "core/deschedule/violation_scan.h"

namespace vicinal {
namespace {

std::string WorkloadName(const SimulatedCluster& simulated,
                         const std::optional<OwnerKey>& owner) {
  if (!owner) return "";
  const OwnerKey top = simulated.TopOf(*owner);
  return absl::StrCat(top.kind, "/", top.name);
}

PodReport ReportOn(const SimulatedCluster& simulated, const ObjectKey& key,
                   const SimulatedPod* pod) {
  PodReport report;
  report.pod = key;
  const auto changed = simulated.changed().find(key);
  const bool is_changed = changed != simulated.changed().end();
  const bool existed = !is_changed || changed->second.existed;
  if (pod != nullptr) {
    report.workload = WorkloadName(simulated, pod->owner);
    report.node = pod->node;
    report.message = pod->message;
  } else {
    report.workload = WorkloadName(simulated, changed->second.owner);
  }
  report.node_before = is_changed ? changed->second.node : report.node;
  if (pod == nullptr) {
    report.fate = Fate::kGone;
  } else if (!existed) {
    report.fate = Fate::kNew;
  } else if (report.node_before != report.node) {
    report.fate = report.node_before.empty() ? Fate::kPlaced : Fate::kMoved;
  }
  return report;
}

void CountPods(const SimulatedCluster& simulated, Report& report) {
  for (const auto& [key, pod] : simulated.pods()) {
    ++(pod.node.empty() ? report.pending : report.running);
  }
  report.running_before = report.running;
  report.pending_before = report.pending;
  for (const auto& [key, origin] : simulated.changed()) {
    if (const SimulatedPod* pod = simulated.FindPod(key)) {
      --(pod->node.empty() ? report.pending_before : report.running_before);
    }
    if (origin.existed) {
      ++(origin.node.empty() ? report.pending_before : report.running_before);
    }
  }
}

// Pods of one workload have other names when they come back elsewhere.
void CountMoves(const SimulatedCluster& simulated, Report& report) {
  struct Change {
    std::int64_t left = 0;
    std::int64_t came = 0;
  };
  std::map<OwnerKey, Change> changes;
  const auto owner_of = [&](const std::optional<OwnerKey>& owner,
                            const ObjectKey& key) {
    return owner ? simulated.TopOf(*owner)
                 : OwnerKey{"Pod", key.namespace_name, key.name};
  };
  for (const auto& [key, origin] : simulated.changed()) {
    const SimulatedPod* pod = simulated.FindPod(key);
    const std::string node = pod == nullptr ? "" : pod->node;
    if (origin.node == node) continue;
    if (!origin.node.empty()) ++changes[owner_of(origin.owner, key)].left;
    if (!node.empty()) ++changes[owner_of(pod->owner, key)].came;
  }
  for (const auto& [owner, change] : changes) {
    const std::int64_t moved = std::min(change.left, change.came);
    report.moved += moved;
    report.started += change.came - moved;
    report.stopped += change.left - moved;
  }
}

}  // namespace

std::int64_t CountBrokenRules(const ClusterState& cluster) {
  const RuleTallies rules(cluster, RuleScope());
  const ClusterCost cost = ScanViolations(cluster, rules).cost;
  return cost.hard_violations + cost.skew;
}

std::string_view NameOf(Fate fate) {
  switch (fate) {
    case Fate::kUnchanged:
      return "unchanged";
    case Fate::kNew:
      return "new";
    case Fate::kPlaced:
      return "placed";
    case Fate::kMoved:
      return "moved";
    case Fate::kGone:
      return "gone";
  }
  return "";
}

Report BuildReport(const SimulatedCluster& simulated, bool all_pods,
                   std::int64_t broken_before) {
  Report report;
  for (const auto& [key, pod] : simulated.pods()) {
    if (all_pods || pod.node.empty() || simulated.changed().contains(key)) {
      report.pods.push_back(ReportOn(simulated, key, &pod));
    }
  }
  for (const auto& [key, origin] : simulated.changed()) {
    // A pod that came and went has left no trace.
    if (origin.existed && simulated.FindPod(key) == nullptr) {
      report.pods.push_back(ReportOn(simulated, key, nullptr));
    }
  }
  if (!all_pods) {
    // StatefulSet pods that came back to their node.
    std::erase_if(report.pods, [](const PodReport& pod) {
      return pod.fate == Fate::kUnchanged && !pod.node.empty();
    });
  }
  std::sort(
      report.pods.begin(), report.pods.end(),
      [](const PodReport& a, const PodReport& b) { return a.pod < b.pod; });
  report.spreads = ReportSpreads(simulated);
  CountPods(simulated, report);
  CountMoves(simulated, report);
  report.broken_before = broken_before;
  report.broken = CountBrokenRules(simulated.cluster());
  report.nodes = static_cast<std::int64_t>(simulated.cluster().Nodes().size());
  report.notes = simulated.notes();
  return report;
}

}  // namespace vicinal
