// Any of the Kubernetes objects that vicinal knows.
#ifndef VICINAL_CORE_MODEL_OBJECT_H_
#define VICINAL_CORE_MODEL_OBJECT_H_

#include <string_view>
#include <variant>

#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/pod_disruption_budget.h"
#include "core/model/workload.h"

namespace vicinal {

using Object =
    std::variant<Node, Pod, Namespace, Service, ReplicationController,
                 ReplicaSet, StatefulSet, PodDisruptionBudget>;

inline const ObjectMeta& MetaOf(const Object& object) {
  return std::visit(
      [](const auto& known) -> const ObjectMeta& { return known.meta; },
      object);
}

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_OBJECT_H_
