#include "core/plugins/podtopologyspread/constraint.h"

#include <string>
#include <utility>

#include "core/model/label_selector.h"
#include "core/plugins/podtopologyspread/default_selector.h"

namespace vicinal {
namespace {

std::string Prefix(std::string_view action, std::string_view what) {
  std::string prefix(what);
  prefix += action == kDoNotSchedule ? "hard" : "soft";
  return prefix + " topology spread constraints: ";
}

}  // namespace

absl::StatusOr<std::vector<SpreadConstraint>> ParseConstraints(
    const KubernetesRelease& release,
    const std::vector<TopologySpreadConstraint>& written,
    const Labels& pod_labels, std::string_view action) {
  std::vector<SpreadConstraint> parsed;
  for (const TopologySpreadConstraint& constraint : written) {
    if (constraint.when_unsatisfiable != action) continue;
    absl::StatusOr<Selector> selector = AsSelector(constraint.label_selector);
    if (!selector.ok()) return selector.status();
    if (release.match_label_keys_in_spread) {
      for (const std::string& key : constraint.match_label_keys) {
        if (const std::string* value = pod_labels.Find(key)) {
          selector->Add({Requirement::Equals(key, *value)});
        }
      }
    }
    SpreadConstraint& one = parsed.emplace_back();
    one.max_skew = constraint.max_skew;
    one.topology_key = constraint.topology_key;
    one.selector = *std::move(selector);
    one.min_domains = constraint.min_domains.value_or(1);
    one.honor_node_affinity =
        constraint.node_affinity_policy.value_or(kHonor) == kHonor;
    one.honor_node_taints =
        constraint.node_taints_policy.value_or(kIgnore) == kHonor;
    one.taint_comparisons = release.taint_comparisons;
  }
  return parsed;
}

absl::StatusOr<std::vector<SpreadConstraint>> ConstraintsFor(
    const ClusterState& cluster, const Pod& pod,
    const std::vector<TopologySpreadConstraint>& defaults,
    std::string_view action) {
  const auto& own = pod.spec.topology_spread_constraints;
  const bool is_defaulted = own.empty();
  absl::StatusOr<std::vector<SpreadConstraint>> constraints =
      ParseConstraints(cluster.release(), is_defaulted ? defaults : own,
                       pod.meta.labels, action);
  if (!constraints.ok()) {
    return absl::InvalidArgumentError(
        Prefix(action, is_defaulted ? "setting default " : "obtaining pod's ") +
        std::string(constraints.status().message()));
  }
  if (!is_defaulted || constraints->empty()) return constraints;
  const Selector selector = DefaultSelector(cluster, pod);
  if (selector.Empty()) return std::vector<SpreadConstraint>();
  for (SpreadConstraint& constraint : *constraints) {
    constraint.selector = selector;
  }
  return constraints;
}

NodeCondition CountedNodes(const SpreadConstraint& constraint, const Pod& pod,
                           std::vector<std::string> topology_keys) {
  NodeCondition condition;
  condition.topology_keys = std::move(topology_keys);
  if (constraint.honor_node_affinity) {
    condition.node_selector = pod.spec.node_selector;
    if (pod.spec.affinity) {
      condition.node_affinity = pod.spec.affinity->node_affinity;
    }
  }
  if (constraint.honor_node_taints) {
    condition.tolerations = pod.spec.tolerations;
    condition.taint_comparisons = constraint.taint_comparisons;
  }
  return condition;
}

PodQuery QueryFor(const SpreadConstraint& constraint,
                  const std::string& namespace_name) {
  PodQuery query;
  query.conditions.push_back({false, {namespace_name}, constraint.selector});
  query.include_terminating = false;
  return query;
}

}  // namespace vicinal
