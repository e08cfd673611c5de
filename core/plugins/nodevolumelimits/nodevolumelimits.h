// NodeVolumeLimits: no more volumes of a CSI driver than the node can attach.
// Volumes of clouds that are written without CSI do not count here.
//
// Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
#ifndef VICINAL_CORE_PLUGINS_NODEVOLUMELIMITS_NODEVOLUMELIMITS_H_
#define VICINAL_CORE_PLUGINS_NODEVOLUMELIMITS_NODEVOLUMELIMITS_H_

#include <string_view>

#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/framework.h"

namespace vicinal {

class NodeVolumeLimits : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeVolumeLimits";
  static constexpr std::string_view kReason = "node(s) exceed max volume count";

  // `pod` are the extras of the pod that is asked about. Both must outlive it.
  NodeVolumeLimits(const PodExtras& pod, const ClusterExtras& cluster)
      : pod_(pod), cluster_(cluster) {}

  std::string_view Name() const override { return kName; }

  // Cost: O(claims); of each node O(its pods + attachments).
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;

 private:
  const PodExtras& pod_;
  const ClusterExtras& cluster_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODEVOLUMELIMITS_NODEVOLUMELIMITS_H_
