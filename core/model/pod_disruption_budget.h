// How many of some pods may be evicted.
#ifndef VICINAL_CORE_MODEL_POD_DISRUPTION_BUDGET_H_
#define VICINAL_CORE_MODEL_POD_DISRUPTION_BUDGET_H_

#include <cstdint>
#include <optional>

#include "core/model/label_selector.h"
#include "core/model/labels.h"
#include "core/model/object_meta.h"

namespace vicinal {

struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;  // spec.selector
  std::int32_t disruptions_allowed = 0;   // status.disruptionsAllowed
  // status.disruptedPods: the name of a pod that is about to go and counts no
  // more, and the time of its eviction.
  Labels disrupted_pods;

  friend bool operator==(const PodDisruptionBudget&,
                         const PodDisruptionBudget&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_POD_DISRUPTION_BUDGET_H_
