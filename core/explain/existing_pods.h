// What explanations look at of the pods that are there.
#ifndef VICINAL_CORE_EXPLAIN_EXISTING_PODS_H_
#define VICINAL_CORE_EXPLAIN_EXISTING_PODS_H_

#include <vector>

#include "core/explain/explanation.h"
#include "core/index/node_info.h"
#include "core/index/pod_info.h"
#include "core/index/stored_pod.h"
#include "core/model/selector.h"

namespace vicinal {

PodReference ReferenceTo(const StoredPod& pod, const NodeInfo& node);
PodReference ReferenceToNominated(const PodInfo& pod, const NodeInfo& node);

// Whether a selector selects the pod by its labels. Cost: O(labels ×
// requirements), without a copy.
bool Selects(const Selector& selector, const StoredPod& pod);

// Whether a term, its namespaces merged (WithNamespacesMerged), is about a pod.
bool IsAbout(const AffinityTerm& merged, const StoredPod& pod);

// The required anti-affinity terms that the pod carries.
std::vector<AffinityTerm> AntiAffinityTermsOf(const StoredPod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_EXISTING_PODS_H_
