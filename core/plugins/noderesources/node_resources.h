// What a node has, and what the pods on it take.
// Source: pkg/scheduler/framework/types.go (NodeInfo).
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_NODE_RESOURCES_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_NODE_RESOURCES_H_

#include <span>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod_resources.h"
#include "core/model/resource.h"

namespace vicinal {

// status.allocatable.
Resource AllocatableOf(const NodeInfo& node);

// The sum over the pods on the node, and over `added`.
// Cost: O(pods of the node).
PodResource RequestedOn(const NodeInfo& node,
                        std::span<const PodInfo* const> added = {});

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_NODE_RESOURCES_H_
