// A pod with its affinity terms parsed.
// Source: k8s.io/kube-scheduler/framework/types.go (AffinityTerm) and
// pkg/scheduler/framework/types.go (PodInfo).
#ifndef VICINAL_CORE_INDEX_POD_INFO_H_
#define VICINAL_CORE_INDEX_POD_INFO_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/model/kubernetes_release.h"
#include "core/model/labels.h"
#include "core/model/pod.h"
#include "core/model/pod_resources.h"
#include "core/model/selector.h"

namespace vicinal {

// A parsed PodAffinityTerm: which pods it is about, and by which topology.
struct AffinityTerm {
  std::vector<std::string> namespaces;
  Selector namespace_selector = Selector::Nothing();
  Selector selector = Selector::Nothing();
  std::string topology_key;

  // Whether the term is about `pod`, whose namespace has the labels
  // `namespace_labels`.
  bool Matches(const Pod& pod, const Labels& namespace_labels) const;
};

struct WeightedAffinityTerm {
  AffinityTerm term;
  std::int32_t weight = 0;
};

// Immutable once made.
struct PodInfo {
  // Parses the terms of `pod`. Where a category of terms does not parse, it is
  // left empty as a whole and `parse_error` says why, in upstream's words:
  // an existing pod then counts without it, an incoming one is rejected.
  // `release` decides about `resource` alone, of which nobody asks for an
  // incoming pod.
  explicit PodInfo(Pod pod, const KubernetesRelease& release = {});

  Pod pod;
  std::vector<AffinityTerm> required_affinity_terms;
  std::vector<AffinityTerm> required_anti_affinity_terms;
  std::vector<WeightedAffinityTerm> preferred_affinity_terms;
  std::vector<WeightedAffinityTerm> preferred_anti_affinity_terms;
  absl::Status parse_error;
  PodResource resource;  // What the pod takes from its node.

  // Whether the pod has any affinity or anti-affinity term of its own.
  bool HasAffinity() const;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_POD_INFO_H_
