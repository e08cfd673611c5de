// VolumeBinding: bound volumes must be within reach of the node, and others
// must be found or made there. Also binder.go.
//
// Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go.
#ifndef VICINAL_CORE_PLUGINS_VOLUMEBINDING_VOLUMEBINDING_H_
#define VICINAL_CORE_PLUGINS_VOLUMEBINDING_VOLUMEBINDING_H_

#include <string_view>

#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/framework.h"

namespace vicinal {

class VolumeBinding : public FilterPlugin {
 public:
  static constexpr std::string_view kName = "VolumeBinding";
  static constexpr std::string_view kReasonNodeConflict =
      "node(s) didn't match PersistentVolume's node affinity";
  static constexpr std::string_view kReasonBindConflict =
      "node(s) didn't find available persistent volumes to bind";
  static constexpr std::string_view kReasonNotEnoughSpace =
      "node(s) did not have enough free storage";
  static constexpr std::string_view kReasonNoVolume =
      "node(s) unavailable due to one or more pvc(s) bound to non-existent "
      "pv(s)";
  // A class of volumes that nobody makes.
  static constexpr std::string_view kNoProvisioner =
      "kubernetes.io/no-provisioner";
  static constexpr std::string_view kReasonUnbound =
      "pod has unbound immediate PersistentVolumeClaims";

  // `pod` are the extras of the pod that is asked about. Both must outlive it.
  VolumeBinding(const PodExtras& pod, const ClusterExtras& cluster)
      : pod_(pod), cluster_(cluster) {}

  std::string_view Name() const override { return kName; }

  // Cost: O(claims); of each node O(claims × volumes of their classes).
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;

 private:
  const PodExtras& pod_;
  const ClusterExtras& cluster_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_VOLUMEBINDING_VOLUMEBINDING_H_
