// What a pod requests, on all levels together.
// Source: k8s.io/component-helpers/resource/helpers.go and
// pkg/scheduler/framework/types.go (PodInfo.CalculateResource).
//
// As without the feature gate DRANodeAllocatableResources.
//
// Upstream's PodRequests has a flaw that is not copied: with both overhead and
// a pod-level request that is not a short number (1.5Gi), each call adds the
// overhead to the pod's own request again.
#ifndef VICINAL_CORE_MODEL_POD_RESOURCES_H_
#define VICINAL_CORE_MODEL_POD_RESOURCES_H_

#include <cstdint>

#include "core/model/kubernetes_release.h"
#include "core/model/pod.h"
#include "core/model/quantity.h"
#include "core/model/resource.h"

namespace vicinal {

struct PodResourcesOptions {
  KubernetesRelease release = {};
  // Whether what the status says of a pod that is being resized counts too.
  bool use_status_resources = false;
  bool skip_pod_level_resources = false;
  // What counts for a container that does not request the resource at all.
  ResourceList non_missing_container_requests = {};
};

// The sum over the containers or, if that is more, what the init containers
// need at any time (sidecars count in both), overridden by pod-level requests,
// plus overhead.
ResourceList PodRequests(const Pod& pod, const PodResourcesOptions& options);

// What a container counts for that requests no cpu or no memory, when nodes
// are scored: 100m and 200Mi.
ResourceList DefaultNonZeroRequests();

// What a pod takes from its node.
struct PodResource {
  Resource resource;
  // With DefaultNonZeroRequests.
  std::int64_t non_zero_milli_cpu = 0;
  std::int64_t non_zero_memory = 0;

  void Add(const PodResource& other);
  // Takes back an Add of the same.
  void Subtract(const PodResource& other);

  friend bool operator==(const PodResource&, const PodResource&) = default;
};

PodResource CalculatePodResource(const Pod& pod,
                                 const KubernetesRelease& release = {});

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_POD_RESOURCES_H_
