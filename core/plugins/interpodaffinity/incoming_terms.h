// The affinity terms of an incoming pod, ready to be matched against existing
// pods.
#ifndef VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INCOMING_TERMS_H_
#define VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INCOMING_TERMS_H_

#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/index/pod_query.h"

namespace vicinal {

// The term with its namespaceSelector replaced by the names of the namespaces
// that it selects now, so that it can be matched without looking up the labels
// of each existing pod's namespace. A selector for all namespaces stays, since
// it also selects those that are not known.
// Source: mergeAffinityTermNamespacesIfNotEmpty in plugin.go.
AffinityTerm WithNamespacesMerged(const ClusterState& cluster,
                                  AffinityTerm term);

// The pods that all of such terms are about. `terms` must not be empty.
PodQuery QueryFor(const std::vector<AffinityTerm>& terms);

// Whether such a term is about `pod`.
bool MatchesExisting(const AffinityTerm& term, const Pod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INCOMING_TERMS_H_
