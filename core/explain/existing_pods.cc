#include "core/explain/existing_pods.h"

#include <algorithm>
#include <string>

namespace vicinal {

PodReference ReferenceTo(const StoredPod& pod, const NodeInfo& node) {
  return {{pod.namespace_name(), std::string(pod.name())}, node.Name(), false};
}

PodReference ReferenceToNominated(const PodInfo& pod, const NodeInfo& node) {
  return {KeyOf(pod.pod.meta), node.Name(), true};
}

bool Selects(const Selector& selector, const StoredPod& pod) {
  return selector.MatchesWith(
      [&pod](const std::string& key) { return pod.FindLabel(key); });
}

bool IsAbout(const AffinityTerm& merged, const StoredPod& pod) {
  return (merged.namespace_selector.Empty() ||
          std::find(merged.namespaces.begin(), merged.namespaces.end(),
                    pod.namespace_name()) != merged.namespaces.end()) &&
         Selects(merged.selector, pod);
}

std::vector<AffinityTerm> AntiAffinityTermsOf(const StoredPod& pod) {
  const auto& affinity = pod.common().spec.affinity;
  if (!affinity || !affinity->pod_anti_affinity) return {};
  return PodInfo(pod.common()).required_anti_affinity_terms;
}

}  // namespace vicinal
