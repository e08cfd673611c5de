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
  term.namespace_selector = Selector::Nothing();
  return term;
}

bool MatchesExisting(const AffinityTerm& term, const Pod& pod) {
  return term.Matches(pod, Labels());
}

}  // namespace vicinal
