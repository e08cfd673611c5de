#include "server/commands/simulate/live_cluster.h"

#include <string>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "core/deschedule/decode_pod_facts.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/object_meta.h"
#include "core/simulate/decode_workload.h"
#include "core/simulate/workload.h"
#include "server/kubernetes/list_all.h"
#include "server/state/cluster_snapshot.h"

namespace vicinal {
namespace {

struct WorkloadResource {
  WorkloadKind kind;
  const char* path;
};

constexpr WorkloadResource kWorkloads[] = {
    {WorkloadKind::kDeployment, "/apis/apps/v1/deployments"},
    {WorkloadKind::kReplicaSet, "/apis/apps/v1/replicasets"},
    {WorkloadKind::kReplicationController, "/api/v1/replicationcontrollers"},
    {WorkloadKind::kStatefulSet, "/apis/apps/v1/statefulsets"},
    {WorkloadKind::kDaemonSet, "/apis/apps/v1/daemonsets"},
    {WorkloadKind::kJob, "/apis/batch/v1/jobs"},
    {WorkloadKind::kCronJob, "/apis/batch/v1/cronjobs"},
};

absl::Status LoadWorkloads(const ClientConfig& config,
                           const WorkloadResource& resource,
                           SimulatedCluster& simulated) {
  JsonReader reader;
  return ListAll(
      config, resource.path, "", [&](simdjson::padded_string_view json) {
        Workload workload;
        const absl::Status decoded = reader.ReadWith(json, [&](JsonValue root) {
          return DecodeWorkload(root, JsonPath(), resource.kind, &workload);
        });
        if (decoded.ok()) {
          simulated.Load(std::move(workload));
        } else {
          simulated.Note(std::string(resource.path) +
                         ": one left out: " + std::string(decoded.message()));
        }
        return absl::OkStatus();
      });
}

absl::Status ListPodFacts(const ClientConfig& config, PodFactsMap& facts) {
  JsonReader reader;
  return ListAll(
      config, "/api/v1/pods", "", [&](simdjson::padded_string_view json) {
        const absl::StatusOr<PodFacts> read = reader.Read<PodFacts>(json);
        if (!read.ok() || *read == PodFacts()) return read.status();
        ObjectMeta meta;
        const absl::Status status = reader.ReadWith(json, [&](JsonValue root) {
          return DecodeFields(root, JsonPath(), JsonField{"metadata", &meta});
        });
        facts[KeyOf(meta)] = *read;
        return status;
      });
}

}  // namespace

absl::Status LoadLiveCluster(const ClientConfig& config, bool with_pod_facts,
                             SimulatedCluster& simulated) {
  PodFactsMap facts;
  if (with_pod_facts) {
    absl::Status status = ListPodFacts(config, facts);
    if (!status.ok()) return status;
  }
  absl::Status status = ReadClusterFromApi(config, [&](Object object) {
    PodFacts of_pod;
    if (const Pod* const pod = std::get_if<Pod>(&object)) {
      const auto it = facts.find(KeyOf(pod->meta));
      if (it != facts.end()) of_pod = it->second;
    }
    simulated.Load(std::move(object), of_pod);
  });
  if (!status.ok()) return status;
  for (const WorkloadResource& resource : kWorkloads) {
    status = LoadWorkloads(config, resource, simulated);
    if (absl::IsPermissionDenied(status) || absl::IsNotFound(status)) {
      simulated.Note("not known, since it cannot be listed: " +
                     std::string(status.message()));
    } else if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace vicinal
