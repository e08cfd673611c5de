#include "core/simulate/controllers.h"

#include <glog/logging.h>

namespace vicinal {
namespace {

// Far more than any workload takes steps.
constexpr int kMaxRounds = 10'000'000;

void Sync(SimulatedCluster& simulated, const Workload& workload) {
  switch (workload.kind) {
    case WorkloadKind::kDeployment:
      return SyncDeployment(simulated, workload);
    case WorkloadKind::kReplicaSet:
    case WorkloadKind::kReplicationController:
    case WorkloadKind::kVirtualMachineInstanceReplicaSet:
      return SyncReplicaSet(simulated, workload);
    case WorkloadKind::kStatefulSet:
      return SyncStatefulSet(simulated, workload);
    case WorkloadKind::kDaemonSet:
      return SyncDaemonSet(simulated, workload);
    case WorkloadKind::kJob:
      return SyncJob(simulated, workload);
    case WorkloadKind::kCronJob:
      return SyncCronJob(simulated, workload);
  }
}

}  // namespace

void RunControllers(SimulatedCluster& simulated) {
  for (int round = 0;; ++round) {
    CHECK_LT(round, kMaxRounds) << "the controllers do not come to rest";
    const std::set<OwnerKey> touched = simulated.TakeTouched();
    if (touched.empty()) return;
    for (const OwnerKey& key : touched) {
      const Workload* known = simulated.FindWorkload(key);
      if (known == nullptr) continue;
      // A step may replace the workload itself.
      const Workload workload = *known;
      Sync(simulated, workload);
    }
  }
}

}  // namespace vicinal
