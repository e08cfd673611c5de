#include "server/state/cluster_snapshot.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/model/api_resources.h"
#include "core/model/object_list.h"
#include "core/simulate/cluster_object_reader.h"
#include "server/kubernetes/list_all.h"

namespace vicinal {
namespace {

// Of workloads that Object does not have.
constexpr ApiResource kOtherWorkloads[] = {
    {"deployments", "apps/v1", "Deployment"},
    {"daemonsets", "apps/v1", "DaemonSet"},
    {"jobs", "batch/v1", "Job"},
    {"cronjobs", "batch/v1", "CronJob"},
};

absl::Status List(const ClientConfig& config, const ApiResource& resource,
                  const ClusterReceiver& receiver) {
  const std::string path = resource.Path();
  ClusterObjectReader reader(receiver, path + ": one left out: ");
  const TypeMeta type = {resource.api_version, std::string(resource.kind)};
  return ListAll(config, path, resource.field_selector,
                 [&](simdjson::padded_string_view json) {
                   return reader.Read(type, json);
                 });
}

// Which leaves Succeeded and Failed.
constexpr char kFinished[] =
    "status.phase!=Pending,status.phase!=Running,status.phase!=Unknown";

}  // namespace

absl::Status ReadFinishedPodsFromApi(const ClientConfig& config,
                                     const ClusterReceiver& receiver) {
  ApiResource pods = ApiResourceOf<Pod>();
  pods.field_selector = kFinished;
  return List(config, pods, receiver);
}

absl::Status ReadClusterFromApi(const ClientConfig& config,
                                const ClusterReceiver& receiver) {
  for (const ApiResource& resource : kApiResources) {
    absl::Status status = List(config, resource, receiver);
    if (!status.ok()) return status;
  }
  if (!receiver.add_workload) return absl::OkStatus();
  for (const ApiResource& resource : kOtherWorkloads) {
    absl::Status status = List(config, resource, receiver);
    if (absl::IsPermissionDenied(status) || absl::IsNotFound(status)) {
      receiver.note(absl::StrCat("not known, since it cannot be listed: ",
                                 status.message()));
    } else if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace vicinal
