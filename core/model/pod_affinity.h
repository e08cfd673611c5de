// Inter-pod affinity as written in a pod (v1.PodAffinity, v1.PodAntiAffinity).
#ifndef VICINAL_CORE_MODEL_POD_AFFINITY_H_
#define VICINAL_CORE_MODEL_POD_AFFINITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/label_selector.h"
#include "core/model/labels.h"

namespace vicinal {

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;  // Absent: matches no pod.
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;  // Absent: no namespace;
                                                    // empty: all of them.
  std::string topology_key;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;

  friend bool operator==(const PodAffinityTerm&,
                         const PodAffinityTerm&) = default;
};

struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;

  friend bool operator==(const WeightedPodAffinityTerm&,
                         const WeightedPodAffinityTerm&) = default;
};

// Serves for affinity and anti-affinity, which have the same shape.
struct PodAffinity {
  // requiredDuringSchedulingIgnoredDuringExecution
  std::vector<PodAffinityTerm> required;
  // preferredDuringSchedulingIgnoredDuringExecution
  std::vector<WeightedPodAffinityTerm> preferred;

  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

// Does what the API server does when a pod is created: the pod's values of
// matchLabelKeys and mismatchLabelKeys become In and NotIn requirements of the
// term's labelSelector. Only for pods that did not come from an API server.
// Source: pkg/registry/core/pod/strategy.go,
// applyMatchLabelKeysAndMismatchLabelKeys.
void MergeLabelKeys(const Labels& pod_labels, PodAffinity& affinity);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_POD_AFFINITY_H_
