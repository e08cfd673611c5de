// NodePorts: a pod goes where its host ports are free.
//
// Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go.
#ifndef VICINAL_CORE_PLUGINS_NODEPORTS_NODEPORTS_H_
#define VICINAL_CORE_PLUGINS_NODEPORTS_NODEPORTS_H_

#include <string_view>

#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/framework.h"

namespace vicinal {

// Whether two pods with these ports cannot be on one node: the same protocol
// and port, and the same address or one of them 0.0.0.0.
// Source: HostPortInfo.CheckConflict in k8s.io/kube-scheduler/framework.
bool Conflict(const HostPort& a, const HostPort& b);

class NodePorts : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodePorts";
  static constexpr std::string_view kReason =
      "node(s) didn't have free ports for the requested pod ports";

  // `pod` are the extras of the pod that is asked about. Both must outlive it.
  NodePorts(const PodExtras& pod, const ClusterExtras& cluster)
      : pod_(pod), cluster_(cluster) {}

  std::string_view Name() const override { return kName; }

  // Cost: O(1); of each node O(its pods).
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;

 private:
  const PodExtras& pod_;
  const ClusterExtras& cluster_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODEPORTS_NODEPORTS_H_
