// NodeUnschedulable: no pods for cordoned nodes, unless they tolerate the taint
// node.kubernetes.io/unschedulable:NoSchedule.
//
// Source:
// pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go.
#ifndef VICINAL_CORE_PLUGINS_NODEUNSCHEDULABLE_NODEUNSCHEDULABLE_H_
#define VICINAL_CORE_PLUGINS_NODEUNSCHEDULABLE_NODEUNSCHEDULABLE_H_

#include <string_view>

#include "core/plugins/framework.h"

namespace vicinal {

class NodeUnschedulable : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeUnschedulable";
  static constexpr std::string_view kReason = "node(s) were unschedulable";

  std::string_view Name() const override { return kName; }

  // Cost: O(tolerations), O(1) for each node.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODEUNSCHEDULABLE_NODEUNSCHEDULABLE_H_
