#include "core/explain/existing_pods.h"

#include <algorithm>

namespace vicinal {

PodReference ReferenceTo(const ExistingPod& pod, const NodeInfo& node) {
  return {KeyOf(pod.pod.meta), node.Name(), false};
}

PodReference ReferenceToNominated(const PodInfo& pod, const NodeInfo& node) {
  return {KeyOf(pod.pod.meta), node.Name(), true};
}

const std::string& NamespaceOf(const ExistingPod& pod) {
  return pod.pod.meta.namespace_name;
}

const Labels& LabelsOf(const ExistingPod& pod) { return pod.pod.meta.labels; }

bool IsTerminatingPod(const ExistingPod& pod) { return IsTerminating(pod.pod); }

bool IsAbout(const AffinityTerm& merged, const std::string& namespace_name,
             const Labels& labels) {
  return (merged.namespace_selector.Empty() ||
          std::find(merged.namespaces.begin(), merged.namespaces.end(),
                    namespace_name) != merged.namespaces.end()) &&
         merged.selector.Matches(labels);
}

std::vector<AffinityTerm> AntiAffinityTermsOf(const ExistingPod& pod) {
  return pod.required_anti_affinity_terms;
}

}  // namespace vicinal
