#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/simulate/controllers.h"
#include "core/simulate/pod_from_template.h"

namespace vicinal {

void SyncJob(SimulatedCluster& simulated, const Workload& job) {
  const OwnerKey key = KeyOf(job);
  const std::int64_t left =
      job.completions.value_or(job.replicas) - job.succeeded;
  const std::int64_t wanted =
      job.suspended ? 0 : std::clamp<std::int64_t>(left, 0, job.replicas);
  const std::vector<ObjectKey> have(simulated.PodsOf(key).begin(),
                                    simulated.PodsOf(key).end());
  for (std::int64_t i = static_cast<std::int64_t>(have.size()); i < wanted;
       ++i) {
    Workload labelled = job;
    Labels& labels = labelled.pod_template.meta.labels;
    labels.Set("batch.kubernetes.io/job-name", job.meta.name);
    labels.Set("job-name", job.meta.name);
    simulated.CreatePod(
        PodFromTemplate(labelled, simulated.NewPodName(job.meta.namespace_name,
                                                       job.meta.name + "-")),
        key, job.pod_facts);
  }
  for (std::size_t i = wanted; i < have.size(); ++i)
    simulated.DeletePod(have[i]);
}

void SyncCronJob(SimulatedCluster& simulated, const Workload& cron_job) {
  if (cron_job.suspended) return;
  Workload job = cron_job;
  job.kind = WorkloadKind::kJob;
  job.meta.name += "-1";
  job.meta.owner_references = {
      {"batch/v1", "CronJob", cron_job.meta.name, true}};
  if (simulated.FindWorkload(KeyOf(job)) == nullptr)
    simulated.Upsert(std::move(job));
}

bool FinishJobPods(SimulatedCluster& simulated) {
  std::vector<Workload> jobs;
  for (const auto& [key, workload] : simulated.workloads()) {
    if (workload.kind == WorkloadKind::kJob && !simulated.PodsOf(key).empty()) {
      jobs.push_back(workload);
    }
  }
  bool any = false;
  for (Workload& job : jobs) {
    const std::vector<ObjectKey> pods(simulated.PodsOf(KeyOf(job)).begin(),
                                      simulated.PodsOf(KeyOf(job)).end());
    for (const ObjectKey& pod : pods) {
      if (simulated.FindPod(pod)->node.empty()) continue;
      simulated.DeletePod(pod);
      ++job.succeeded;
      any = true;
    }
    simulated.Upsert(job);
  }
  return any;
}

}  // namespace vicinal
