#include "server/state/cluster_snapshot.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "server/kubernetes/list_all.h"

namespace vicinal {
namespace {

template <typename Kind>
absl::Status List(const ClientConfig& config, const char* path,
                  const char* field_selector,
                  const std::function<void(Object)>& add) {
  JsonReader reader;
  return ListAll(config, path, field_selector,
                 [&](simdjson::padded_string_view json) {
                   absl::StatusOr<Kind> object = reader.Read<Kind>(json);
                   if (!object.ok()) return object.status();
                   add(*std::move(object));
                   return absl::OkStatus();
                 });
}

}  // namespace

absl::Status ReadClusterFromApi(const ClientConfig& config,
                                const std::function<void(Object)>& add) {
  // Nodes first: pods then find theirs.
  absl::Status status = List<Node>(config, "/api/v1/nodes", "", add);
  if (!status.ok()) return status;
  // status.phase!=Succeeded,status.phase!=Failed
  status = List<Pod>(config, "/api/v1/pods",
                     "status.phase!=Succeeded,status.phase!=Failed", add);
  if (!status.ok()) return status;
  status = List<Namespace>(config, "/api/v1/namespaces", "", add);
  if (!status.ok()) return status;
  status = List<Service>(config, "/api/v1/services", "", add);
  if (!status.ok()) return status;
  status = List<ReplicationController>(config, "/api/v1/replicationcontrollers",
                                       "", add);
  if (!status.ok()) return status;
  status = List<ReplicaSet>(config, "/apis/apps/v1/replicasets", "", add);
  if (!status.ok()) return status;
  return List<StatefulSet>(config, "/apis/apps/v1/statefulsets", "", add);
}

}  // namespace vicinal
