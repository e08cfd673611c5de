#include "core/deschedule/violation.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/deschedule/node_utilization.h"
#include "core/model/taint.h"

namespace vicinal {
namespace {

std::string Counted(std::int64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", std::string(noun), count == 1 ? "" : "s");
}

// `key=value` of the node's label.
std::string DomainText(const std::string& key, const NodeInfo& node) {
  const std::string* value = node.labels().Find(key);
  return absl::StrCat(key, "=", value == nullptr ? "" : *value);
}

bool IsNamed(const std::vector<std::string>& names, const Taint& taint) {
  return std::ranges::any_of(names, [&taint](const std::string& name) {
    return name == taint.key ||
           (!taint.value.empty() && name == taint.key + "=" + taint.value);
  });
}

std::string ByTaints(const ClusterState& cluster, const Strategy& strategy,
                     const PodInfo& pod, const NodeInfo& node) {
  for (const Taint& taint : node.node->taints) {
    const bool counts =
        taint.effect == kNoSchedule || (strategy.include_prefer_no_schedule &&
                                        taint.effect == kPreferNoSchedule);
    if (!counts || IsNamed(strategy.excluded_taints, taint) ||
        (!strategy.included_taints.empty() &&
         !IsNamed(strategy.included_taints, taint)) ||
        Tolerate(pod.pod.spec.tolerations, taint,
                 cluster.release().taint_comparisons)) {
      continue;
    }
    return absl::StrCat("it does not tolerate its node's taint ", taint.key,
                        taint.value.empty() ? "" : "=", taint.value, ":",
                        taint.effect);
  }
  return "";
}

std::string ByNodeAffinity(const ClusterState& cluster,
                           const Strategy& strategy, const PodCosts& costs,
                           const NodeInfo& node) {
  if (strategy.required_node_affinity && !costs.MatchesNodeAffinity(node)) {
    return "its required node affinity does not select its node";
  }
  if (!strategy.preferred_node_affinity) return "";
  const std::int64_t here = costs.PreferredNodeAffinity(node);
  std::int64_t best = here;
  for (const NodeInfo* other : cluster.Nodes()) {
    best = std::max(best, costs.PreferredNodeAffinity(*other));
  }
  if (best == here) return "";
  return absl::StrCat("its preferred node affinity gives its node ", here,
                      ", another one ", best);
}

std::string BySpread(const Strategy& strategy, const PodCosts& costs,
                     const NodeInfo& node) {
  for (const SpreadTally* tally : costs.spreads()) {
    if (!(tally->hard() ? strategy.do_not_schedule
                        : strategy.schedule_anyway)) {
      continue;
    }
    if (!tally->IsTooManyWith(node.id)) continue;
    const SpreadConstraint& constraint = tally->constraint();
    return absl::StrCat(
        DomainText(constraint.topology_key, node), " has ",
        Counted(tally->CountAt(node.id) + 1, "pod"),
        " of a topology spread constraint, the smallest domain ",
        tally->Smallest(), "; maxSkew is ", constraint.max_skew);
  }
  return "";
}

std::string BySoftAntiAffinity(const ClusterState& cluster,
                               const PodCosts& costs, const NodeInfo& node) {
  const std::int64_t weight = costs.PreferredAntiAffinity(node);
  if (weight <= 0) return "";
  const std::int64_t here = costs.Soft(node);
  if (std::ranges::none_of(cluster.Nodes(), [&](const NodeInfo* other) {
        return costs.Soft(*other) < here;
      })) {
    return "";
  }
  return absl::StrCat("preferred anti-affinity of weight ", weight,
                      " in all speaks against its node");
}

bool RequestsOneOf(const Pod& pod, const ResourceThresholds& resources) {
  const auto requests = [&resources](const Container& container) {
    return std::ranges::any_of(resources, [&container](const auto& resource) {
      return container.requests.contains(resource.first);
    });
  };
  return std::ranges::any_of(pod.spec.containers, requests) ||
         std::ranges::any_of(pod.spec.init_containers, requests);
}

std::string ByUtilization(const RuleTallies& rules, const Strategy& strategy,
                          const PodInfo& pod, const NodeInfo& node) {
  const NodeUtilization* const utilization = rules.UtilizationOf(strategy);
  const Resource& taken = pod.resource.resource;
  if (utilization == nullptr || !utilization->IsSourceWith(node, taken)) {
    return "";
  }
  if (strategy.utilization.only_thresholding_resources &&
      !RequestsOneOf(pod.pod, strategy.utilization.thresholds)) {
    return "";
  }
  return utilization->Describe(node, taken);
}

}  // namespace

std::string Violation(const ClusterState& cluster, const RuleTallies& rules,
                      const Strategy& strategy, const PodInfo& pod,
                      const PodCosts& costs, const NodeInfo& node) {
  switch (strategy.kind) {
    case StrategyKind::kNodeTaints:
      return ByTaints(cluster, strategy, pod, node);
    case StrategyKind::kNodeAffinity:
      return ByNodeAffinity(cluster, strategy, costs, node);
    case StrategyKind::kRequiredPodAffinity:
      return costs.AffinityHolds(node)
                 ? ""
                 : "no pod that its required affinity wants is near";
    case StrategyKind::kInterPodAntiAffinity: {
      const std::int64_t pairs = costs.AntiAffinityPairs(node);
      if (pairs == 0) return "";
      std::string text = "required anti-affinity is broken ";
      absl::StrAppend(
          &text, pairs == 1 ? "once" : absl::StrCat(pairs, " times"), " in");
      const char* separator = " ";
      for (const std::string& key : costs.BrokenKeys(node)) {
        absl::StrAppend(&text, separator, DomainText(key, node));
        separator = ", ";
      }
      return text;
    }
    case StrategyKind::kTopologySpread:
      return BySpread(strategy, costs, node);
    case StrategyKind::kDuplicates: {
      const DuplicateTally* tally = costs.duplicates();
      if (tally == nullptr || tally->At(node.id) < tally->share()) return "";
      if (IsOwnedByOneOf(pod.pod.meta, strategy.exclude_owner_kinds)) return "";
      return absl::StrCat("its node has ",
                          Counted(tally->At(node.id) + 1, "pod"),
                          " of its owner, an even share is ", tally->share());
    }
    case StrategyKind::kSoftAntiAffinity:
      return BySoftAntiAffinity(cluster, costs, node);
    case StrategyKind::kLowNodeUtilization:
    case StrategyKind::kHighNodeUtilization:
      return ByUtilization(rules, strategy, pod, node);
    case StrategyKind::kFailedPods:
    case StrategyKind::kTooManyRestarts:
    case StrategyKind::kPodLifeTime:
      return "";  // See MatchStatus.
  }
  return "";
}

}  // namespace vicinal
