#include "core/plugins/interpodaffinity/incoming_terms.h"

namespace vicinal {

AffinityTerm WithNamespacesMerged(const ClusterState& cluster,
                                  AffinityTerm term) {
  if (term.namespace_selector.Empty()) return term;
  for (const auto& [key, object] : cluster.All<Namespace>()) {
    if (term.namespace_selector.Matches(object.meta.labels)) {
      term.namespaces.push_back(key.name);
    }
  }
  const bool everywhere =
      cluster.release().namespace_selectors_select_unlabelled &&
      term.namespace_selector.Matches(Labels());
  term.namespace_selector =
      everywhere ? Selector::Everything() : Selector::Nothing();
  return term;
}

PodQuery QueryFor(const std::vector<AffinityTerm>& terms) {
  PodQuery query;
  for (const AffinityTerm& term : terms) {
    // After merging, a namespaceSelector selects all namespaces or none.
    query.conditions.push_back(
        {term.namespace_selector.Empty(), term.namespaces, term.selector});
  }
  return query;
}

bool MatchesExisting(const AffinityTerm& term, const Pod& pod) {
  return term.Matches(pod, Labels());
}

}  // namespace vicinal
