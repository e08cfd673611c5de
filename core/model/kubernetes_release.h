// In what the answers of the scheduler's plugins differ from one Kubernetes
// release to the next, by name. Nothing else in vicinal compares releases.
//
// core/plugins/README.md lists the differences with a case for each.
#ifndef VICINAL_CORE_MODEL_KUBERNETES_RELEASE_H_
#define VICINAL_CORE_MODEL_KUBERNETES_RELEASE_H_

#include <span>
#include <string_view>

#include "absl/status/statusor.h"

namespace vicinal {

// Whether ImageLocality looks at a pod's image volumes.
enum class ImageVolumes {
  kIgnored,  // Up to 1.35.
  kScored,   // 1.36: they add to the score, not to the number of images.
  kCounted,  // From 1.37 on: both.
};

// Without a value set it is the newest release, whose plugins the code is
// written after.
struct KubernetesRelease {
  std::string_view name = "1.37";

  // InterPodAffinity, up to 1.36: an incoming pod's term whose
  // namespaceSelector also selects a namespace without labels (one of NotIn and
  // DoesNotExist only) is about the pods of all namespaces.
  bool namespace_selectors_select_unlabelled = false;
  ImageVolumes image_volumes = ImageVolumes::kCounted;
  // NodeResourcesBalancedAllocation, from 1.36 on: the score compares the
  // balance with the pod to that without it.
  bool balance_is_compared = true;
  // Pods that are being resized, up to 1.36: the larger of request, allocation
  // and actual resources is taken for each container, and only of containers
  // whose status has resources; later of the sums.
  bool resized_by_container = false;
  // NodeResourcesFitArgs, from 1.36 on:
  // scoringStrategy.requestedToCapacityRatio belongs to the type of that name
  // and is an error with another.
  bool ratio_only_with_its_type = true;
  // NodeName, from 1.37 on: PreFilter narrows to the node named, and of the
  // default profile's filters it is the first. Before, NodeUnschedulable is.
  bool node_name_narrows = true;
  // DefaultPreemption, from 1.37 on: a pod takes nothing more from
  // PodDisruptionBudgets behind the first one that it violates.
  bool violated_budget_ends_search = true;

  // What feature gates say, each named here; core/model/feature_gates.h sets
  // them. Here are the defaults.

  // MatchLabelKeysInPodTopologySpread: a spread constraint's matchLabelKeys
  // count.
  bool match_label_keys_in_spread = true;
  // InPlacePodVerticalScaling: what the status of a pod says that is being
  // resized counts too.
  bool resizes = true;
  // PodLevelResources: the requests of a pod itself count.
  bool pod_level_resources = true;
  // InPlacePodLevelResourcesVerticalScaling, a default from 1.36 on: these may
  // be being resized as well.
  bool pod_level_resizes = true;
  // TaintTolerationComparisonOperators, from 1.35 on: tolerations may have the
  // operators Lt and Gt.
  bool taint_comparisons = false;

  friend bool operator==(const KubernetesRelease&,
                         const KubernetesRelease&) = default;
};

// Oldest first.
std::span<const KubernetesRelease> KubernetesReleases();

// The release of a version as the API server, images and people write it:
// "1.36", "v1.36.3", "v1.36.3-gke.100". NotFound names the known ones.
// Cost: O(releases). Thread-safe.
absl::StatusOr<KubernetesRelease> KubernetesReleaseOf(std::string_view version);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_KUBERNETES_RELEASE_H_
