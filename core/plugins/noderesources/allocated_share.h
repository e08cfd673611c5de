// The strategies LeastAllocated and MostAllocated of NodeResourcesFit: the
// weighted mean of the free, respectively used, percentage of each resource.
// Source: pkg/scheduler/framework/plugins/noderesources/least_allocated.go and
// most_allocated.go.
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_ALLOCATED_SHARE_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_ALLOCATED_SHARE_H_

#include <cstdint>
#include <span>

#include "core/plugins/noderesources/noderesources_args.h"
#include "core/plugins/noderesources/resource_allocation.h"

namespace vicinal {

// The arguments are parallel. Resources with nothing allocatable do not count;
// 0 if none does.
std::int64_t LeastAllocatedScore(std::span<const ResourceSpec> resources,
                                 std::span<const Allocation> allocations);
std::int64_t MostAllocatedScore(std::span<const ResourceSpec> resources,
                                std::span<const Allocation> allocations);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_ALLOCATED_SHARE_H_
