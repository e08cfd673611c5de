// What the plugins for ports and volumes know of a cluster, beside
// ClusterState.
#ifndef VICINAL_CORE_PLUGINS_CLUSTER_EXTRAS_H_
#define VICINAL_CORE_PLUGINS_CLUSTER_EXTRAS_H_

#include <map>
#include <string>

#include "core/index/cluster_state.h"
#include "core/index/stored_pod.h"
#include "core/model/pod_extras.h"
#include "core/model/storage.h"

namespace vicinal {

struct ClusterExtras {
  std::map<ObjectKey, PodExtras> pods;  // Those that have any.
  StorageObjects storage;

  // Null if the pod has none.
  const PodExtras* Find(const ObjectKey& key) const {
    const auto it = pods.find(key);
    return it == pods.end() ? nullptr : &it->second;
  }
  const PodExtras* Find(const StoredPod& pod) const {
    if (pods.empty()) return nullptr;
    return Find({pod.namespace_name(), std::string(pod.name())});
  }
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_CLUSTER_EXTRAS_H_
