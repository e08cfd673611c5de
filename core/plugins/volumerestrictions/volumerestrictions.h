// VolumeRestrictions: a claim ReadWriteOncePod is for one pod. The rules for
// volumes of GCE, EBS, iSCSI and RBD are not here.
//
// Source:
// pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go.
#ifndef VICINAL_CORE_PLUGINS_VOLUMERESTRICTIONS_VOLUMERESTRICTIONS_H_
#define VICINAL_CORE_PLUGINS_VOLUMERESTRICTIONS_VOLUMERESTRICTIONS_H_

#include <string_view>

#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/framework.h"

namespace vicinal {

class VolumeRestrictions : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "VolumeRestrictions";
  static constexpr std::string_view kReason =
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod "
      "access mode already in-use by another pod";

  // `pod` are the extras of the pod that is asked about. Both must outlive it.
  VolumeRestrictions(const PodExtras& pod, const ClusterExtras& cluster)
      : pod_(pod), cluster_(cluster) {}

  std::string_view Name() const override { return kName; }

  // Cost: O(claims), with a claim ReadWriteOncePod O(pods).
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;

 private:
  const PodExtras& pod_;
  const ClusterExtras& cluster_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_VOLUMERESTRICTIONS_VOLUMERESTRICTIONS_H_
