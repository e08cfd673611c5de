// What the pods on a node take.
// Source: pkg/scheduler/framework/types.go (NodeInfo).
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_NODE_RESOURCES_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_NODE_RESOURCES_H_

#include <span>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod_resources.h"

namespace vicinal {

// The sum over the pods on the node, and over `added`. Cost: O(added).
PodResource RequestedOn(const NodeInfo& node,
                        std::span<const PodInfo* const> added = {});

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_NODE_RESOURCES_H_
