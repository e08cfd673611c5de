// VolumeZone: a bound volume with the labels of a zone or region goes with
// nodes of that zone or region.
//
// Source: pkg/scheduler/framework/plugins/volumezone/volume_zone.go.
#ifndef VICINAL_CORE_PLUGINS_VOLUMEZONE_VOLUMEZONE_H_
#define VICINAL_CORE_PLUGINS_VOLUMEZONE_VOLUMEZONE_H_

#include <string_view>

#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/framework.h"

namespace vicinal {

class VolumeZone : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "VolumeZone";
  static constexpr std::string_view kReason =
      "node(s) had no available volume zone";

  // `pod` are the extras of the pod that is asked about. Both must outlive it.
  VolumeZone(const PodExtras& pod, const ClusterExtras& cluster)
      : pod_(pod), cluster_(cluster) {}

  std::string_view Name() const override { return kName; }

  // Cost: O(claims), as for each node.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;

 private:
  const PodExtras& pod_;
  const ClusterExtras& cluster_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_VOLUMEZONE_VOLUMEZONE_H_
