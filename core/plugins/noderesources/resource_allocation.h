// How much of each of a strategy's resources a node would have in use.
// Source: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go.
//
// Extended resources backed by device classes (DRA) are not known here; they
// count like those that the node does not have.
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_RESOURCE_ALLOCATION_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_RESOURCE_ALLOCATION_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/model/quantity.h"
#include "core/plugins/noderesources/noderesources_args.h"

namespace vicinal {

// What the incoming pod requests of one of a strategy's resources.
struct ResourceRequest {
  std::string_view name;
  std::int64_t amount = 0;  // In the scheduler's unit.
  bool bypassed = false;    // A scalar resource that the pod does not request.
};

// What `requests` holds of each resource. The names are those in `resources`.
std::vector<ResourceRequest> RequestList(
    const ResourceList& requests, std::span<const ResourceSpec> resources);

// One resource on one node, in the scheduler's unit. All 0 if it does not
// count, because the node does not have it or it is bypassed.
struct Allocation {
  std::int64_t requested = 0;  // With the incoming pod.
  std::int64_t allocated = 0;  // Without it.
  std::int64_t allocatable = 0;
};

// The allocation of each of the resources on `node`, in their order. With
// `use_requested` containers that request no cpu or memory count as 0,
// otherwise with the defaults.
// Cost: O(pods of the node).
std::vector<Allocation> AllocationsOn(const NodeInfo& node,
                                      std::span<const ResourceRequest> requests,
                                      bool use_requested);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_RESOURCE_ALLOCATION_H_
