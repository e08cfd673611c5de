// A workload: an object whose controller makes pods from a template.
#ifndef VICINAL_CORE_SIMULATE_SIMULATED_WORKLOAD_H_
#define VICINAL_CORE_SIMULATE_SIMULATED_WORKLOAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/deschedule/pod_facts.h"
#include "core/model/label_selector.h"
#include "core/model/object_meta.h"
#include "core/model/pod.h"

namespace vicinal {

enum class WorkloadKind {
  kDeployment,
  kReplicaSet,
  kReplicationController,
  kStatefulSet,
  kDaemonSet,
  kJob,
  kCronJob,
  kVirtualMachineInstanceReplicaSet,
};

// `Deployment`, as in the field kind.
std::string_view NameOf(WorkloadKind kind);
// `apps/v1`.
std::string_view ApiVersionOf(WorkloadKind kind);

// What an object of this type is; absent if it is no workload. Without an
// apiVersion the kind alone tells.
std::optional<WorkloadKind> WorkloadKindOf(std::string_view api_version,
                                           std::string_view kind);

// The same for what users write: the kind, its plural or its short name, in any
// case: `deployment`, `deployments`, `deploy`.
std::optional<WorkloadKind> WorkloadKindFromWord(std::string_view word);

// An int, or a percentage of the replicas (intstr.IntOrString).
struct IntOrPercent {
  std::int64_t value = 0;
  bool is_percent = false;

  // Of `total`; percentages are rounded up or down.
  std::int64_t Of(std::int64_t total, bool round_up) const;

  friend bool operator==(const IntOrPercent&, const IntOrPercent&) = default;
};

struct Workload {
  WorkloadKind kind = WorkloadKind::kDeployment;
  ObjectMeta meta;
  // How many pods there are to be: spec.replicas; of a Job the parallelism. Of
  // a DaemonSet and a CronJob nothing.
  std::int64_t replicas = 1;
  std::optional<std::int64_t> completions;  // Of a Job; absent: parallelism 1.
  bool suspended = false;                   // Of a Job or CronJob.
  LabelSelector selector;
  // metadata: the labels; spec: all that placement needs.
  Pod pod_template;
  PodFacts pod_facts;  // Of such a pod.
  // Raised by a restart (kubectl rollout restart), which changes nothing else
  // in the template.
  int restarts = 0;
  // Of a StatefulSet or DaemonSet: the label controller-revision-hash of the
  // pods that are up to date. Empty: all are.
  std::string revision;
  std::int64_t succeeded = 0;  // Of a Job: pods that have finished.

  // strategy.type Recreate of a Deployment, updateStrategy.type OnDelete of a
  // StatefulSet or DaemonSet; otherwise RollingUpdate.
  bool recreate = false;
  bool on_delete = false;
  IntOrPercent max_surge{25, true};
  IntOrPercent max_unavailable{25, true};
  // podManagementPolicy of a StatefulSet.
  bool parallel = false;

  friend bool operator==(const Workload&, const Workload&) = default;
};

// `deployment/web in namespace shop`: how a workload is called in
// messages.
std::string Describe(const Workload& workload);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SIMULATED_WORKLOAD_H_
