// The objects that group pods: namespaces, services and controllers.
#ifndef VICINAL_CORE_MODEL_WORKLOAD_H_
#define VICINAL_CORE_MODEL_WORKLOAD_H_

#include <optional>

#include "core/model/label_selector.h"
#include "core/model/labels.h"
#include "core/model/object_meta.h"

namespace vicinal {

struct Namespace {
  ObjectMeta meta;

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

struct Service {
  ObjectMeta meta;
  std::optional<Labels> selector;  // spec.selector; absent: no pods.

  friend bool operator==(const Service&, const Service&) = default;
};

struct ReplicationController {
  ObjectMeta meta;
  Labels selector;  // spec.selector

  friend bool operator==(const ReplicationController&,
                         const ReplicationController&) = default;
};

struct ReplicaSet {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;  // spec.selector

  friend bool operator==(const ReplicaSet&, const ReplicaSet&) = default;
};

struct StatefulSet {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;  // spec.selector

  friend bool operator==(const StatefulSet&, const StatefulSet&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_WORKLOAD_H_
