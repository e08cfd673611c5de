#include "core/index/workload_name.h"

#include "absl/strings/str_cat.h"
#include "core/model/workload.h"

namespace vicinal {

std::string WorkloadName(const ClusterState& cluster, const ObjectMeta& meta,
                         std::string_view pod_name) {
  const OwnerReference* owner = ControllerOf(meta);
  if (owner == nullptr) {
    return absl::StrCat(meta.namespace_name, "/", std::string(pod_name));
  }
  if (owner->kind == "ReplicaSet") {
    const auto& sets = cluster.All<ReplicaSet>();
    const auto set = sets.find({meta.namespace_name, owner->name});
    if (set != sets.end()) {
      const OwnerReference* deployment = ControllerOf(set->second.meta);
      if (deployment != nullptr) owner = deployment;
    }
  }
  return absl::StrCat(meta.namespace_name, "/", owner->name);
}

}  // namespace vicinal
