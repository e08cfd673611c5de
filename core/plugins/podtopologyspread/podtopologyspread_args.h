// Arguments of the PodTopologySpread plugin.
// Source: pkg/scheduler/apis/config/types_pluginargs.go and v1/defaults.go.
#ifndef VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_PODTOPOLOGYSPREAD_ARGS_H_
#define VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_PODTOPOLOGYSPREAD_ARGS_H_

#include <vector>

#include "core/model/topology_spread_constraint.h"

namespace vicinal {

struct PodTopologySpreadArgs {
  // Constraints of pods that have none (defaultingType List), without
  // labelSelectors: those come from the pod's Services and controller.
  std::vector<TopologySpreadConstraint> default_constraints;
  // defaultingType System: built-in constraints; default_constraints is empty.
  bool system_defaulting = true;

  friend bool operator==(const PodTopologySpreadArgs&,
                         const PodTopologySpreadArgs&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_PODTOPOLOGYSPREAD_ARGS_H_
