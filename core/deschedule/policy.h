// What may be evicted, and for what: the descheduler's policy as a value.
//
// Source: sigs.k8s.io/descheduler pkg/api/v1alpha2/types.go and the types.go of
// the plugins in pkg/framework/plugins.
#ifndef VICINAL_CORE_DESCHEDULE_POLICY_H_
#define VICINAL_CORE_DESCHEDULE_POLICY_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/selector.h"

namespace vicinal {

// What is looked for. In the order in which a plan takes them: first the pods
// that have to leave their node whatever the others do.
enum class StrategyKind {
  kNodeTaints,
  kNodeAffinity,
  kFailedPods,
  kTooManyRestarts,
  kPodLifeTime,
  kRequiredPodAffinity,
  kInterPodAntiAffinity,
  kTopologySpread,
  kDuplicates,
  kSoftAntiAffinity,
  kLowNodeUtilization,
  kHighNodeUtilization,
};

// The plugins' names in the policy; those with `vicinal.` are not upstream's.
inline constexpr std::array<std::string_view, 12> kStrategyNames = {
    "RemovePodsViolatingNodeTaints",
    "RemovePodsViolatingNodeAffinity",
    "RemoveFailedPods",
    "RemovePodsHavingTooManyRestarts",
    "PodLifeTime",
    "vicinal.RequiredPodAffinity",
    "RemovePodsViolatingInterPodAntiAffinity",
    "RemovePodsViolatingTopologySpreadConstraint",
    "RemoveDuplicates",
    "vicinal.SoftAntiAffinity",
    "LowNodeUtilization",
    "HighNodeUtilization",
};

inline std::string_view NameOf(StrategyKind kind) {
  return kStrategyNames[static_cast<std::size_t>(kind)];
}

// Whether a strategy is about how long a pod has been there and how it fares,
// and not about where it is.
constexpr bool IsAboutStatus(StrategyKind kind) {
  return kind == StrategyKind::kFailedPods ||
         kind == StrategyKind::kTooManyRestarts ||
         kind == StrategyKind::kPodLifeTime;
}

// Whether a strategy is about how full nodes are.
constexpr bool IsAboutUtilization(StrategyKind kind) {
  return kind == StrategyKind::kLowNodeUtilization ||
         kind == StrategyKind::kHighNodeUtilization;
}

// By resource, in percent of what a node has: 0 to 100.
using ResourceThresholds = std::map<std::string, double>;

struct UtilizationArgs {
  ResourceThresholds thresholds;
  // Of kLowNodeUtilization, of the same resources.
  ResourceThresholds target_thresholds;
  // The thresholds are distances from the average of the nodes.
  bool use_deviation_thresholds = false;
  // Nothing is done if no more nodes are underutilized.
  std::int64_t number_of_nodes = 0;
  // Of kHighNodeUtilization: evictionModes. Only pods that request one of the
  // resources are evicted.
  bool only_thresholding_resources = false;

  friend bool operator==(const UtilizationArgs&,
                         const UtilizationArgs&) = default;
};

// Of a condition of a pod; what is empty or absent is not looked at.
struct ConditionFilter {
  std::string type;
  std::string status;
  std::string reason;
  // minTimeSinceLastTransitionSeconds
  std::optional<std::int64_t> min_seconds_since;
};

struct Strategy {
  StrategyKind kind = StrategyKind::kNodeTaints;

  // Whose pods are looked at. Both lists empty: those of all namespaces.
  std::vector<std::string> include_namespaces;
  std::vector<std::string> exclude_namespaces;
  std::optional<Selector> label_selector;

  // Of kNodeAffinity: nodeAffinityType.
  bool required_node_affinity = true;
  bool preferred_node_affinity = false;
  // Of kNodeTaints; a taint is named by its key or by key=value.
  bool include_prefer_no_schedule = false;
  std::vector<std::string> excluded_taints;
  std::vector<std::string> included_taints;  // Empty: all.
  // Of kTopologySpread: constraints.
  bool do_not_schedule = true;
  bool schedule_anyway = false;
  // Of kDuplicates, kFailedPods and kPodLifeTime.
  std::vector<std::string> exclude_owner_kinds;

  // Of kTooManyRestarts: podRestartThreshold.
  std::int64_t restart_threshold = 0;
  // Of kFailedPods: minPodLifetimeSeconds, and reasons; empty: any.
  std::int64_t min_age_seconds = 3600;
  std::vector<std::string> reasons;
  // Of kPodLifeTime.
  std::optional<std::int64_t> max_age_seconds;  // maxPodLifeTimeSeconds
  std::vector<ConditionFilter> conditions;      // Empty: any.
  std::vector<std::string> include_owner_kinds;
  bool including_ephemeral_containers = false;
  // Of kTooManyRestarts and kPodLifeTime: of the pod or a container. Empty:
  // any.
  std::vector<std::string> states;
  // Of kFailedPods and kPodLifeTime. Empty: any.
  std::vector<std::int32_t> exit_codes;
  // Of the three.
  bool including_init_containers = false;

  // Of kLowNodeUtilization and kHighNodeUtilization.
  UtilizationArgs utilization;
};

// Which pods are never evicted, whatever they break. Mirror, static and
// terminating pods are not, in any case.
struct EvictorArgs {
  bool evict_local_storage = false;
  bool evict_daemon_set = false;
  bool evict_system_critical = false;
  bool evict_failed_bare = false;  // Failed pods without an owner.
  // Whether a pod that is replaced for its status must fit on another node; it
  // must fit somewhere in any case.
  bool node_fit = false;
  bool protect_pvc = false;
  bool protect_resource_claims = false;
  // noEvictionPolicy: Mandatory.
  bool respect_prefer_no_eviction = false;
  // Pods of this priority or a higher one stay.
  std::optional<std::int32_t> priority_threshold;
  std::optional<Selector> label_selector;
  std::optional<Selector> namespace_label_selector;
  // The node that the pod is expected to come to must match.
  std::optional<Selector> node_selector;
  // The owner must have at least so many pods; 0 and 1: any number.
  std::int64_t min_replicas = 0;
  std::optional<std::chrono::seconds> min_pod_age;
};

struct PolicyProfile {
  std::string name;
  EvictorArgs evictor;
  std::vector<Strategy> strategies;
};

// What a policy has and vicinal has not, so that it is left out.
struct SkippedStrategy {
  std::string profile;
  std::string name;
  std::string reason;  // With the place in the policy.
};

struct Policy {
  std::vector<PolicyProfile> profiles;
  std::vector<SkippedStrategy> skipped;
  // Only pods on these nodes are looked at.
  std::optional<Selector> node_selector;
  // How many pods are evicted in one pass; absent: no limit.
  std::optional<std::int64_t> max_per_node;
  std::optional<std::int64_t> max_per_namespace;
  std::optional<std::int64_t> max_total;
  // Of one owner's pods (the controller, or the first owner).
  std::optional<std::int64_t> max_per_owner = 1;
  // deleteOptions of the evictions.
  std::optional<std::int64_t> grace_period_seconds;
};

// Whether pods that have finished matter to it.
bool LooksAtFinishedPods(const Policy& policy);

// One profile with every hard rule: required node affinity, NoSchedule taints,
// required affinity and anti-affinity, topology spread that DoNotSchedule.
Policy DefaultPolicy();

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_POLICY_H_
