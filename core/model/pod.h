// v1.Pod: the fields that decide where a pod may go.
#ifndef VICINAL_CORE_MODEL_POD_H_
#define VICINAL_CORE_MODEL_POD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/model/labels.h"
#include "core/model/node_selector.h"
#include "core/model/object_meta.h"
#include "core/model/pod_affinity.h"
#include "core/model/quantity.h"
#include "core/model/taint.h"
#include "core/model/topology_spread_constraint.h"

namespace vicinal {

struct Affinity {
  std::optional<NodeAffinity> node_affinity;
  std::optional<PodAffinity> pod_affinity;
  std::optional<PodAffinity> pod_anti_affinity;

  friend bool operator==(const Affinity&, const Affinity&) = default;
};

struct Container {
  std::string name;
  std::string image;
  ResourceList requests;       // resources.requests
  std::string restart_policy;  // "Always" makes an init container a sidecar.

  friend bool operator==(const Container&, const Container&) = default;
};

// v1.ResourceRequirements, of which only the requests matter.
struct ResourceRequirements {
  std::optional<ResourceList> requests;

  friend bool operator==(const ResourceRequirements&,
                         const ResourceRequirements&) = default;
};

// v1.ContainerStatus: what a pod that is being resized really has.
struct ContainerStatus {
  std::string name;
  std::optional<ResourceList> allocated_resources;
  std::optional<ResourceRequirements> resources;

  friend bool operator==(const ContainerStatus&,
                         const ContainerStatus&) = default;
};

struct PodSpec {
  std::string node_name;
  std::string scheduler_name;
  std::optional<std::int32_t> priority;
  std::optional<Labels> node_selector;
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  ResourceList overhead;
  std::optional<ResourceList> requests;    // resources.requests, of the pod.
  std::vector<std::string> image_volumes;  // volumes[].image.reference

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

inline constexpr char kRunning[] = "Running";  // A phase.

struct PodStatus {
  std::string phase;
  std::string nominated_node_name;
  // startTime in seconds since 1970; absent until the kubelet has seen the pod.
  std::optional<std::int64_t> start_time;
  std::vector<ContainerStatus> container_statuses;  // Init containers' too.
  std::optional<ResourceList> allocated_resources;
  std::optional<ResourceRequirements> resources;
  bool resize_infeasible = false;  // Condition PodResizePending.
  // A fingerprint of the condition PodScheduled while it is False, which is
  // another one after each failed attempt that says something new; 0: no
  // attempt has failed.
  std::uint64_t scheduling_failure = 0;

  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

struct Pod {
  ObjectMeta meta;
  PodSpec spec;
  PodStatus status;
  // metadata.resourceVersion: of two versions of a pod the later one has the
  // larger number. 0: it is not known. The index does not keep it.
  std::uint64_t resource_version = 0;

  // Whether they say the same, whatever their versions.
  friend bool operator==(const Pod& a, const Pod& b) {
    return a.meta == b.meta && a.spec == b.spec && a.status == b.status;
  }
};

// spec.priority, 0 if absent (corev1helpers.PodPriority).
inline std::int32_t PodPriority(const Pod& pod) {
  return pod.spec.priority.value_or(0);
}

// Whether the two have the same rules and requests, whatever their labels and
// wherever they are.
inline bool HaveTheSameRules(const Pod& a, const Pod& b) {
  const auto rules = [](const PodSpec& spec) {
    // All fields, so that a new one is not forgotten.
    const auto& [node_name, scheduler_name, priority, node_selector, affinity,
                 tolerations, spread, containers, init_containers, overhead,
                 requests, image_volumes] = spec;
    return std::tie(scheduler_name, priority, node_selector, affinity,
                    tolerations, spread, containers, init_containers, overhead,
                    requests, image_volumes);
  };
  return a.meta.namespace_name == b.meta.namespace_name &&
         a.meta.owner_references == b.meta.owner_references &&
         rules(a.spec) == rules(b.spec);
}

// In phase Succeeded or Failed: such a pod uses nothing and counts nowhere.
inline bool IsFinished(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

// Being deleted. Inter-pod affinity counts such a pod, topology spread does
// not.
inline bool IsTerminating(const Pod& pod) {
  return pod.meta.deletion_timestamp.has_value();
}

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_POD_H_
