#include "core/simulate/simulation_report.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/deschedule/rule_tallies.h"
#include "core/deschedule/violation_scan.h"
#include "core/model/node_selector.h"
#include "core/model/topology_spread_constraint.h"
#include "core/simulate/simulated_workload.h"

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

// A workload's rules, as its pods have them.
std::optional<Pod> SomePodOf(const SimulatedCluster& simulated,
                             const OwnerKey& top) {
  if (const Workload* workload = simulated.FindWorkload(top)) {
    return workload->pod_template;
  }
  for (const auto& [key, origin] : simulated.changed()) {
    const SimulatedPod* pod = simulated.FindPod(key);
    if (pod != nullptr && pod->owner && simulated.TopOf(*pod->owner) == top) {
      return simulated.PodAt(key);
    }
  }
  return std::nullopt;
}

void AddKeys(const std::optional<PodAffinity>& affinity,
             std::set<std::string>& keys) {
  if (!affinity) return;
  for (const PodAffinityTerm& term : affinity->required) {
    keys.insert(term.topology_key);
  }
  for (const WeightedPodAffinityTerm& term : affinity->preferred) {
    keys.insert(term.term.topology_key);
  }
}

std::set<std::string> TopologyKeysOf(const std::optional<Pod>& pod) {
  std::set<std::string> keys = {kHostnameLabel, kZoneLabel};
  if (!pod) return keys;
  for (const auto& constraint : pod->spec.topology_spread_constraints) {
    keys.insert(constraint.topology_key);
  }
  if (pod->spec.affinity) {
    AddKeys(pod->spec.affinity->pod_affinity, keys);
    AddKeys(pod->spec.affinity->pod_anti_affinity, keys);
  }
  return keys;
}

const Labels* LabelsNow(const SimulatedCluster& simulated,
                        const std::string& node) {
  const NodeInfo* info = simulated.cluster().FindNode(node);
  return info == nullptr ? nullptr : &info->labels();
}

struct Extremes {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

Extremes ExtremesOf(const std::map<std::string, DomainReport>& domains,
                    std::int64_t DomainReport::*count,
                    bool DomainReport::*exists) {
  Extremes extremes;
  bool first = true;
  for (const auto& [domain, report] : domains) {
    if (!(report.*exists)) continue;
    const std::int64_t pods = report.*count;
    extremes.least = first ? pods : std::min(extremes.least, pods);
    extremes.most = first ? pods : std::max(extremes.most, pods);
    first = false;
  }
  return extremes;
}

std::optional<SpreadRule> RuleOf(const std::optional<Pod>& pod,
                                 const OwnerKey& workload,
                                 const std::string& topology_key) {
  std::optional<SpreadRule> rule;
  if (!pod) return rule;
  const auto& constraints = pod->spec.topology_spread_constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].topology_key != topology_key) continue;
    const bool hard = constraints[i].when_unsatisfiable == kDoNotSchedule;
    if (rule && (rule->hard || !hard)) continue;
    rule = SpreadRule{
        absl::StrCat(workload.kind == NameOf(WorkloadKind::kCronJob)
                         ? "spec.jobTemplate.spec.template"
                         : "spec.template",
                     ".spec.topologySpreadConstraints[", i, "]"),
        hard, constraints[i].max_skew, constraints[i].min_domains.value_or(1)};
  }
  return rule;
}

// The nodes of a workload's pods, each as often as it has one.
struct Nodes {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

std::map<OwnerKey, Nodes> NodesOfChangedWorkloads(
    const SimulatedCluster& simulated) {
  std::map<OwnerKey, Nodes> nodes;
  for (const auto& [key, origin] : simulated.changed()) {
    if (origin.owner) nodes[simulated.TopOf(*origin.owner)];
    const SimulatedPod* pod = simulated.FindPod(key);
    if (pod != nullptr && pod->owner) nodes[simulated.TopOf(*pod->owner)];
  }
  for (const auto& [key, pod] : simulated.pods()) {
    if (!pod.owner) continue;
    const auto it = nodes.find(simulated.TopOf(*pod.owner));
    if (it == nodes.end()) continue;
    if (!pod.node.empty()) it->second.after.push_back(pod.node);
    if (!pod.node.empty() && !simulated.changed().contains(key)) {
      it->second.before.push_back(pod.node);
    }
  }
  for (const auto& [key, origin] : simulated.changed()) {
    if (!origin.owner || origin.node.empty()) continue;
    nodes[simulated.TopOf(*origin.owner)].before.push_back(origin.node);
  }
  return nodes;
}

void AddSpreads(const SimulatedCluster& simulated, const OwnerKey& workload,
                const Nodes& nodes, std::vector<SpreadReport>& spreads) {
  const std::optional<Pod> pod = SomePodOf(simulated, workload);
  const RequiredNodeAffinity required(
      pod ? pod->spec.node_selector : std::nullopt,
      pod && pod->spec.affinity ? pod->spec.affinity->node_affinity
                                : std::nullopt);
  for (const std::string& key : TopologyKeysOf(pod)) {
    SpreadReport spread;
    spread.workload = absl::StrCat(workload.kind, "/", workload.name);
    spread.namespace_name = workload.namespace_name;
    spread.topology_key = key;
    const auto exists = [&](const Labels& labels, std::string_view node,
                            bool DomainReport::*when) {
      const std::string* domain = labels.Find(key);
      if (domain != nullptr && required.Matches(labels, node)) {
        spread.domains[*domain].*when = true;
      }
    };
    for (const NodeInfo* node : simulated.cluster().Nodes()) {
      exists(node->labels(), node->Name(), &DomainReport::is_there);
      if (!simulated.nodes_before().contains(std::string(node->Name()))) {
        exists(node->labels(), node->Name(), &DomainReport::was_there);
      }
    }
    for (const auto& [node, labels] : simulated.nodes_before()) {
      if (labels) exists(*labels, node, &DomainReport::was_there);
    }
    const auto count = [&](const Labels* labels,
                           std::int64_t DomainReport::*number) {
      const std::string* domain =
          labels == nullptr ? nullptr : labels->Find(key);
      if (domain != nullptr) ++(spread.domains[*domain].*number);
    };
    for (const std::string& node : nodes.before) {
      count(simulated.LabelsBefore(node), &DomainReport::before);
    }
    for (const std::string& node : nodes.after) {
      count(LabelsNow(simulated, node), &DomainReport::after);
    }
    if (spread.domains.empty()) continue;
    const Extremes before = ExtremesOf(spread.domains, &DomainReport::before,
                                       &DomainReport::was_there);
    const Extremes after = ExtremesOf(spread.domains, &DomainReport::after,
                                      &DomainReport::is_there);
    spread.skew_before = before.most - before.least;
    spread.skew_after = after.most - after.least;
    spread.rule = RuleOf(pod, workload, key);
    if (spread.rule) {
      const auto enough = [&spread](bool DomainReport::*exists) {
        return std::count_if(spread.domains.begin(), spread.domains.end(),
                             [exists](const auto& domain) {
                               return domain.second.*exists;
                             }) >= spread.rule->min_domains;
      };
      if (enough(&DomainReport::was_there))
        spread.minimum_before = before.least;
      if (enough(&DomainReport::is_there)) spread.minimum_after = after.least;
    }
    spreads.push_back(std::move(spread));
  }
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
  for (const auto& [workload, nodes] : NodesOfChangedWorkloads(simulated)) {
    AddSpreads(simulated, workload, nodes, report.spreads);
  }
  CountPods(simulated, report);
  CountMoves(simulated, report);
  report.broken_before = broken_before;
  report.broken = CountBrokenRules(simulated.cluster());
  report.nodes = static_cast<std::int64_t>(simulated.cluster().Nodes().size());
  report.notes = simulated.notes();
  return report;
}

}  // namespace vicinal
