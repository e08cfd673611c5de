// Who made a pod, as people call it.
#ifndef VICINAL_CORE_INDEX_WORKLOAD_NAME_H_
#define VICINAL_CORE_INDEX_WORKLOAD_NAME_H_

#include <string>
#include <string_view>

#include "core/index/cluster_state.h"
#include "core/index/stored_pod.h"
#include "core/model/object_meta.h"

namespace vicinal {

// `namespace/name` of a pod's controller, of a ReplicaSet's Deployment, or of a
// pod that has none its own. `meta` is that of the pod, but for the name. Cost:
// O(log ReplicaSets).
std::string WorkloadName(const ClusterState& cluster, const ObjectMeta& meta,
                         std::string_view pod_name);

inline std::string WorkloadName(const ClusterState& cluster,
                                const StoredPod& pod) {
  return WorkloadName(cluster, pod.common().meta, pod.name());
}

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_WORKLOAD_NAME_H_
