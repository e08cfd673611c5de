// The strategy RequestedToCapacityRatio of NodeResourcesFit: a piecewise linear
// function of the used percentage of each resource.
// Source: pkg/scheduler/framework/plugins/noderesources/
// requested_to_capacity_ratio.go and plugins/helper/shape_score.go.
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_REQUESTED_TO_CAPACITY_RATIO_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_REQUESTED_TO_CAPACITY_RATIO_H_

#include <cstdint>
#include <span>

#include "core/plugins/noderesources/noderesources_args.h"
#include "core/plugins/noderesources/resource_allocation.h"

namespace vicinal {

// `resources` and `allocations` are parallel; `shape` is not empty, and its
// utilizations increase. Resources with nothing allocatable, or that score 0 or
// less, do not count in the weighted mean; 0 if none does.
std::int64_t RequestedToCapacityRatioScore(
    std::span<const UtilizationShapePoint> shape,
    std::span<const ResourceSpec> resources,
    std::span<const Allocation> allocations);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_REQUESTED_TO_CAPACITY_RATIO_H_
