#include "core/model/pod_rules.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

constexpr std::int64_t kTerm = 10;
constexpr std::int64_t kNamespaceSelector = 40;
constexpr std::int64_t kManyPods = 360;

std::int64_t Cost(const std::optional<LabelSelector>& selector) {
  if (!selector) return 0;
  std::size_t count = selector->match_labels.size();
  for (const LabelSelectorRequirement& requirement :
       selector->match_expressions) {
    count += 1 + requirement.values.size();
  }
  return static_cast<std::int64_t>(count);
}

// Whether pods are found by a label: see AnchorOf.
bool NamesAValue(const LabelSelector& selector) {
  return !selector.match_labels.empty() ||
         std::any_of(selector.match_expressions.begin(),
                     selector.match_expressions.end(),
                     [](const LabelSelectorRequirement& requirement) {
                       return requirement.op == "In";
                     });
}

std::int64_t Cost(const PodAffinityTerm& term) {
  const bool many_pods =
      term.label_selector && !NamesAValue(*term.label_selector);
  std::int64_t cost =
      kTerm + Cost(term.label_selector) + Cost(term.namespace_selector) +
      static_cast<std::int64_t>(term.namespaces.size()) *
          (many_pods ? kTerm : 1) +
      static_cast<std::int64_t>(term.match_label_keys.size() +
                                term.mismatch_label_keys.size());
  if (term.namespace_selector) {
    cost += kNamespaceSelector;
    if (many_pods) cost += kManyPods;
  }
  return cost;
}

std::int64_t Cost(const std::optional<PodAffinity>& affinity) {
  if (!affinity) return 0;
  std::int64_t cost = 0;
  for (const PodAffinityTerm& term : affinity->required) cost += Cost(term);
  for (const auto& [weight, term] : affinity->preferred) cost += Cost(term);
  return cost;
}

}  // namespace

std::int64_t RuleCost(const Pod& pod) {
  std::int64_t cost = 0;
  if (pod.spec.affinity) {
    cost += Cost(pod.spec.affinity->pod_affinity);
    cost += Cost(pod.spec.affinity->pod_anti_affinity);
  }
  for (const TopologySpreadConstraint& constraint :
       pod.spec.topology_spread_constraints) {
    cost += kTerm + Cost(constraint.label_selector) +
            static_cast<std::int64_t>(constraint.match_label_keys.size());
  }
  return cost;
}

absl::Status CheckRules(const Pod& pod) {
  const std::int64_t cost = RuleCost(pod);
  if (cost <= kMaxRuleCost) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "spec.affinity and spec.topologySpreadConstraints: the terms, "
      "constraints, requirements and values cost ",
      cost, ", which is more than ", kMaxRuleCost));
}

}  // namespace vicinal
