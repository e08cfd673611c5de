// What Kubernetes' controllers make of workloads, as far as pods come and go.
//
// A controller looks at a workload that was touched and takes one step towards
// what it asks for; a pod that is placed is ready at once, a deleted one is
// gone at once.
#ifndef VICINAL_CORE_SIMULATE_CONTROLLERS_H_
#define VICINAL_CORE_SIMULATE_CONTROLLERS_H_

#include <optional>

#include "core/simulate/simulated_cluster.h"
#include "core/simulate/simulated_workload.h"

namespace vicinal {

// Lets the controllers look at all touched workloads, again and again until
// none is left to look at.
void RunControllers(SimulatedCluster& simulated);

// Lets time pass for Jobs: the pods of theirs that run have succeeded. Returns
// whether there were any.
bool FinishJobPods(SimulatedCluster& simulated);

// A Deployment that is known only by its ReplicaSets (dumps of the cluster
// usually lack Deployments): with their pod template, their replicas, and the
// default strategy. Absent if there are none.
std::optional<Workload> DeploymentOfReplicaSets(
    const SimulatedCluster& simulated, const OwnerKey& key);

// One step for one workload. The kinds are those in the comments.
// ReplicaSet, ReplicationController, VirtualMachineInstanceReplicaSet.
// Source: pkg/controller/replicaset/replica_set.go, ActivePodsWithRanks.
void SyncReplicaSet(SimulatedCluster& simulated, const Workload& set);
// Source: pkg/controller/deployment/{rolling,recreate,sync}.go.
void SyncDeployment(SimulatedCluster& simulated, const Workload& deployment);
// Source: pkg/controller/statefulset/stateful_set_control.go.
void SyncStatefulSet(SimulatedCluster& simulated, const Workload& set);
// Source: pkg/controller/daemon/{daemon_controller,update}.go.
void SyncDaemonSet(SimulatedCluster& simulated, const Workload& set);
// Job. Source: pkg/controller/job/job_controller.go.
void SyncJob(SimulatedCluster& simulated, const Workload& job);
// CronJob: one run, as if its time had come.
void SyncCronJob(SimulatedCluster& simulated, const Workload& cron_job);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_CONTROLLERS_H_
