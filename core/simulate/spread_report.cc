#include "core/simulate/spread_report.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/model/node_selector.h"
#include "core/model/taint.h"
#include "core/model/topology_spread_constraint.h"
#include "core/simulate/simulated_workload.h"

namespace vicinal {
namespace {

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

// The place of a pod's first constraint by a key, or of the first hard one.
std::optional<std::size_t> RuleBy(const std::optional<Pod>& pod,
                                  const std::string& topology_key) {
  std::optional<std::size_t> rule;
  if (!pod) return rule;
  const auto& constraints = pod->spec.topology_spread_constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].topology_key != topology_key) continue;
    if (constraints[i].when_unsatisfiable == kDoNotSchedule) return i;
    if (!rule) rule = i;
  }
  return rule;
}

SpreadRule Described(const TopologySpreadConstraint& constraint,
                     std::size_t place, const OwnerKey& workload) {
  return {absl::StrCat(workload.kind == NameOf(WorkloadKind::kCronJob)
                           ? "spec.jobTemplate.spec.template"
                           : "spec.template",
                       ".spec.topologySpreadConstraints[", place, "]"),
          constraint.when_unsatisfiable == kDoNotSchedule, constraint.max_skew,
          constraint.min_domains.value_or(1)};
}

// Which nodes count.
// Source: matchNodeInclusionPolicies of
// pkg/scheduler/framework/plugins/podtopologyspread/common.go.
class Inclusion {
 public:
  // Without a rule those that the pods may run on by their node affinity.
  Inclusion(const std::optional<Pod>& pod, const TopologySpreadConstraint* rule,
            bool taint_comparisons)
      : pod_(pod),
        taint_comparisons_(taint_comparisons),
        required_(pod ? pod->spec.node_selector : std::nullopt,
                  pod && pod->spec.affinity ? pod->spec.affinity->node_affinity
                                            : std::nullopt) {
    if (!pod) return;
    const bool has_affinity =
        pod->spec.node_selector ||
        (pod->spec.affinity && pod->spec.affinity->node_affinity);
    by_affinity_ =
        has_affinity && (rule == nullptr ||
                         rule->node_affinity_policy.value_or(kHonor) == kHonor);
    by_taints_ =
        rule != nullptr && rule->node_taints_policy.value_or(kIgnore) == kHonor;
  }

  bool IsOfAll() const { return !by_affinity_ && !by_taints_; }

  bool Includes(const std::string& name, const NodeBefore& node) const {
    return (!by_affinity_ || required_.Matches(node.labels, name)) &&
           (!by_taints_ || FindUntoleratedDoNotScheduleTaint(
                               node.taints, pod_->spec.tolerations,
                               taint_comparisons_) == nullptr);
  }

 private:
  const std::optional<Pod>& pod_;
  bool taint_comparisons_;  // As KubernetesRelease's.
  RequiredNodeAffinity required_;
  bool by_affinity_ = false;
  bool by_taints_ = false;
};

// The domains of a topology key that count.
struct CountedDomains {
  std::set<std::string> before;
  std::set<std::string> after;
};

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

struct Extremes {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// Of the domains that count; those that are not listed have no pods.
Extremes ExtremesOf(const SpreadReport& spread, std::size_t counted,
                    When when) {
  Extremes extremes;
  std::size_t listed = 0;
  for (const auto& [name, domain] : spread.domains) {
    if (!domain.Counts(when)) continue;
    const std::int64_t pods = domain.Pods(when);
    extremes.least = listed == 0 ? pods : std::min(extremes.least, pods);
    extremes.most = std::max(extremes.most, pods);
    ++listed;
  }
  if (listed < counted) extremes.least = 0;
  return extremes;
}

class SpreadReporter {
 public:
  explicit SpreadReporter(const SimulatedCluster& simulated)
      : simulated_(simulated), before_(simulated.nodes_before()) {
    for (const NodeInfo* node : simulated.cluster().Nodes()) {
      after_[node->Name()] = NodeBefore{node->labels(), node->node->taints};
      if (!before_.contains(node->Name())) {
        before_[node->Name()] = after_[node->Name()];
      }
    }
  }

  void Add(const OwnerKey& workload, const Nodes& nodes,
           std::vector<SpreadReport>& spreads) {
    const std::optional<Pod> pod = SomePodOf(simulated_, workload);
    for (const std::string& key : TopologyKeysOf(pod)) {
      const std::optional<std::size_t> place = RuleBy(pod, key);
      const TopologySpreadConstraint* rule =
          place ? &pod->spec.topology_spread_constraints[*place] : nullptr;
      SpreadReport spread;
      spread.workload = absl::StrCat(workload.kind, "/", workload.name);
      spread.namespace_name = workload.namespace_name;
      spread.topology_key = key;
      if (rule != nullptr) spread.rule = Described(*rule, *place, workload);
      CountPods(nodes.before, before_, &DomainReport::before, spread);
      CountPods(nodes.after, after_, &DomainReport::after, spread);
      const Inclusion inclusion(
          pod, rule, simulated_.cluster().release().taint_comparisons);
      if (inclusion.IsOfAll()) {
        Finish(OfAllNodes(key, inclusion), spread);
      } else {
        Finish(Count(key, inclusion), spread);
      }
      if (!spread.domains.empty()) spreads.push_back(std::move(spread));
    }
  }

 private:
  using NodesByName = std::map<std::string, std::optional<NodeBefore>>;

  static void CountPods(const std::vector<std::string>& nodes,
                        const NodesByName& known,
                        std::int64_t DomainReport::*count,
                        SpreadReport& spread) {
    for (const std::string& name : nodes) {
      const auto node = known.find(name);
      if (node == known.end() || !node->second) continue;
      const std::string* domain =
          node->second->labels.Find(spread.topology_key);
      if (domain != nullptr) ++(spread.domains[*domain].*count);
    }
  }

  CountedDomains Count(const std::string& key,
                       const Inclusion& inclusion) const {
    const auto domains = [&](const NodesByName& nodes) {
      std::set<std::string> counted;
      for (const auto& [name, node] : nodes) {
        const std::string* domain = node ? node->labels.Find(key) : nullptr;
        if (domain != nullptr && inclusion.Includes(name, *node)) {
          counted.insert(*domain);
        }
      }
      return counted;
    };
    return {domains(before_), domains(after_)};
  }

  const CountedDomains& OfAllNodes(const std::string& key,
                                   const Inclusion& inclusion) {
    const auto it = of_all_nodes_.find(key);
    if (it != of_all_nodes_.end()) return it->second;
    return of_all_nodes_[key] = Count(key, inclusion);
  }

  static void Finish(const CountedDomains& counted, SpreadReport& spread) {
    if (counted.before.size() <= kMostListedDomains &&
        counted.after.size() <= kMostListedDomains) {
      for (const std::string& domain : counted.before) spread.domains[domain];
      for (const std::string& domain : counted.after) spread.domains[domain];
    }
    for (auto& [name, domain] : spread.domains) {
      domain.was_there = counted.before.contains(name);
      domain.is_there = counted.after.contains(name);
    }
    spread.empty_before =
        std::ssize(counted.before) - DomainCount(spread, When::kBefore);
    spread.empty_after =
        std::ssize(counted.after) - DomainCount(spread, When::kAfter);
    const Extremes before =
        ExtremesOf(spread, counted.before.size(), When::kBefore);
    const Extremes after =
        ExtremesOf(spread, counted.after.size(), When::kAfter);
    spread.skew_before = before.most - before.least;
    spread.skew_after = after.most - after.least;
    if (!spread.rule) return;
    if (std::ssize(counted.before) >= spread.rule->min_domains) {
      spread.minimum_before = before.least;
    }
    if (std::ssize(counted.after) >= spread.rule->min_domains) {
      spread.minimum_after = after.least;
    }
  }

  const SimulatedCluster& simulated_;
  NodesByName before_;
  NodesByName after_;
  std::map<std::string, CountedDomains> of_all_nodes_;  // By topology key.
};

}  // namespace

std::int64_t DomainCount(const SpreadReport& spread, When when) {
  return (when == When::kBefore ? spread.empty_before : spread.empty_after) +
         std::count_if(
             spread.domains.begin(), spread.domains.end(),
             [when](const auto& domain) { return domain.second.Counts(when); });
}

std::string Histogram(const SpreadReport& spread, When when) {
  std::map<std::int64_t, std::int64_t> domains;
  const std::int64_t empty =
      when == When::kBefore ? spread.empty_before : spread.empty_after;
  if (empty > 0) domains[0] = empty;
  for (const auto& [name, domain] : spread.domains) {
    if (domain.Counts(when)) ++domains[domain.Pods(when)];
  }
  std::string text;
  for (const auto& [pods, number] : domains) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", number, " with ", pods);
  }
  return text;
}

std::vector<SpreadReport> ReportSpreads(const SimulatedCluster& simulated) {
  std::vector<SpreadReport> spreads;
  SpreadReporter reporter(simulated);
  for (const auto& [workload, nodes] : NodesOfChangedWorkloads(simulated)) {
    reporter.Add(workload, nodes, spreads);
  }
  return spreads;
}

}  // namespace vicinal
