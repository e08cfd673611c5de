#include "core/simulate/controllers.h"

#include <glog/logging.h>

namespace vicinal {
namespace {

// Far more than any workload takes steps.
constexpr int kMaxRounds = 10'000'000;

void Sync(World& world, const Workload& workload) {
  switch (workload.kind) {
    case WorkloadKind::kDeployment:
      return SyncDeployment(world, workload);
    case WorkloadKind::kReplicaSet:
    case WorkloadKind::kReplicationController:
    case WorkloadKind::kVirtualMachineInstanceReplicaSet:
      return SyncReplicaSet(world, workload);
    case WorkloadKind::kStatefulSet:
      return SyncStatefulSet(world, workload);
    case WorkloadKind::kDaemonSet:
      return SyncDaemonSet(world, workload);
    case WorkloadKind::kJob:
      return SyncJob(world, workload);
    case WorkloadKind::kCronJob:
      return SyncCronJob(world, workload);
  }
}

}  // namespace

void RunControllers(World& world) {
  for (int round = 0;; ++round) {
    CHECK_LT(round, kMaxRounds) << "the controllers do not come to rest";
    const std::set<OwnerKey> touched = world.TakeTouched();
    if (touched.empty()) return;
    for (const OwnerKey& key : touched) {
      const Workload* known = world.FindWorkload(key);
      if (known == nullptr) continue;
      // A step may replace the workload itself.
      const Workload workload = *known;
      Sync(world, workload);
    }
  }
}

}  // namespace vicinal
