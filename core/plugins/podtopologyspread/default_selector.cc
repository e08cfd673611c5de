#include "core/plugins/podtopologyspread/default_selector.h"

#include <string>

#include "absl/status/statusor.h"
#include "core/model/label_selector.h"

namespace vicinal {
namespace {

// Adds the selector of the pod's controller, if that is of this kind.
template <typename Kind>
void AddControllerSelector(const ClusterState& cluster, const ObjectKey& key,
                           Selector& selector) {
  const auto& controllers = cluster.All<Kind>();
  const auto it = controllers.find(key);
  if (it == controllers.end()) return;
  const absl::StatusOr<Selector> own = AsSelector(it->second.selector);
  // Upstream ignores selectors that do not parse.
  if (own.ok()) selector.Add(own->requirements());
}

}  // namespace

Selector DefaultSelector(const ClusterState& cluster, const Pod& pod) {
  Labels merged;
  const auto merge = [&merged](const Labels& labels) {
    for (const auto& [key, value] : labels) merged.Set(key, value);
  };
  const std::string& namespace_name = pod.meta.namespace_name;
  cluster.ForEachServiceOf(
      pod, [&](const Service& service) { merge(*service.selector); });

  const OwnerReference* owner = ControllerOf(pod.meta);
  if (owner == nullptr) return Selector::FromSet(merged);
  const ObjectKey key = {namespace_name, owner->name};
  if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
    const auto& controllers = cluster.All<ReplicationController>();
    const auto it = controllers.find(key);
    if (it != controllers.end()) merge(it->second.selector);
    return Selector::FromSet(merged);
  }
  Selector selector = Selector::FromSet(merged);
  if (owner->api_version == "apps/v1") {
    if (owner->kind == "ReplicaSet") {
      AddControllerSelector<ReplicaSet>(cluster, key, selector);
    } else if (owner->kind == "StatefulSet") {
      AddControllerSelector<StatefulSet>(cluster, key, selector);
    }
  }
  return selector;
}

}  // namespace vicinal
