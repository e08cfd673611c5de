// NodeName: a pod with spec.nodeName goes nowhere else.
//
// Source: pkg/scheduler/framework/plugins/nodename/node_name.go.
#ifndef VICINAL_CORE_PLUGINS_NODENAME_NODENAME_H_
#define VICINAL_CORE_PLUGINS_NODENAME_NODENAME_H_

#include <string_view>

#include "core/plugins/framework.h"

namespace vicinal {

class NodeName : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeName";
  static constexpr std::string_view kReason =
      "node(s) didn't match the requested node name";

  std::string_view Name() const override { return kName; }

  // Cost: O(1), as for each node.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODENAME_NODENAME_H_
