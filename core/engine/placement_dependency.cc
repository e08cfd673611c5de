#include "core/engine/placement_dependency.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/default_selector.h"

namespace vicinal {
namespace {

// Whether an affinity or anti-affinity term of `pod`, required or preferred, is
// about `other`.
bool AnyTermMatches(const PodInfo& pod, const Pod& other,
                    const Labels& namespace_labels) {
  const auto matches = [&](const AffinityTerm& term) {
    return term.Matches(other, namespace_labels);
  };
  const auto matches_weighted = [&](const WeightedAffinityTerm& weighted) {
    return matches(weighted.term);
  };
  return std::ranges::any_of(pod.required_affinity_terms, matches) ||
         std::ranges::any_of(pod.required_anti_affinity_terms, matches) ||
         std::ranges::any_of(pod.preferred_affinity_terms, matches_weighted) ||
         std::ranges::any_of(pod.preferred_anti_affinity_terms,
                             matches_weighted);
}

}  // namespace

PlacementDependency::PlacementDependency(const ClusterState& cluster,
                                         const PodInfo& pod)
    : cluster_(cluster),
      pod_(pod),
      namespace_labels_(cluster.NamespaceLabels(pod.pod.meta.namespace_name)) {
  const auto& written = pod.pod.spec.topology_spread_constraints;
  if (written.empty()) {
    // What default constraints would count, whichever are configured.
    Selector selector = DefaultSelector(cluster, pod.pod);
    if (!selector.Empty()) spread_.push_back(std::move(selector));
    return;
  }
  for (const char* action : {kDoNotSchedule, kScheduleAnyway}) {
    const absl::StatusOr<std::vector<SpreadConstraint>> constraints =
        ParseConstraints(cluster.release(), written, pod.pod.meta.labels,
                         action);
    if (!constraints.ok()) continue;  // The answer will be an error anyway.
    for (const SpreadConstraint& constraint : *constraints) {
      // An empty selector counts no pods that are there.
      if (!constraint.selector.Empty()) spread_.push_back(constraint.selector);
    }
  }
}

bool PlacementDependency::On(const PodInfo& other) const {
  const ObjectMeta& meta = other.pod.meta;
  if (meta.namespace_name == pod_.pod.meta.namespace_name &&
      std::ranges::any_of(spread_, [&meta](const Selector& selector) {
        return selector.Matches(meta.labels);
      })) {
    return true;
  }
  return AnyTermMatches(pod_, other.pod,
                        cluster_.NamespaceLabels(meta.namespace_name)) ||
         AnyTermMatches(other, pod_.pod, namespace_labels_);
}

}  // namespace vicinal
