// VolumeZone: a bound volume with the labels of a zone or region goes with
// nodes of that zone or region.
//
// Source: pkg/scheduler/framework/plugins/volumezone/volume_zone.go.
#ifndef VICINAL_CORE_PLUGINS_VOLUMEZONE_VOLUMEZONE_H_
#define VICINAL_CORE_PLUGINS_VOLUMEZONE_VOLUMEZONE_H_

#include <string_view>

#include "core/model/labels.h"
#include "core/model/pod_extras.h"
#include "core/model/storage.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/framework.h"

namespace vicinal {

// The label of the volume that says another zone or region than the node's; ""
// if none does. Cost: O(1).
std::string_view ZoneLabelAgainst(const PersistentVolume& volume,
                                  const Labels& node);

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
