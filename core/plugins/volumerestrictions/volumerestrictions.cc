#include "core/plugins/volumerestrictions/volumerestrictions.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "core/plugins/pod_claims.h"

namespace vicinal {
namespace {

class Refuse : public PreparedFilter {
 public:
  Status Filter(const NodeInfo& /*node*/) const override {
    return Status(Code::kUnschedulable, VolumeRestrictions::kReason);
  }
};

bool IsUsed(const ClusterState& cluster, const ClusterExtras& extras,
            const std::string& namespace_name,
            const std::set<std::string>& claims) {
  const auto uses = [&](const StoredPod* pod) {
    if (pod->namespace_name() != namespace_name) return false;
    const PodExtras* found = extras.Find(*pod);
    return found != nullptr &&
           std::ranges::any_of(found->volumes, [&](const PodVolume& volume) {
             return volume.claim && claims.contains(*volume.claim);
           });
  };
  return std::ranges::any_of(cluster.Nodes(), [&](const NodeInfo* node) {
    return std::ranges::any_of(node->pods, uses);
  });
}

}  // namespace

PreFilterResult VolumeRestrictions::PreFilter(const ClusterState& cluster,
                                              const PodInfo& pod) const {
  PreFilterResult result;
  result.status = Status::Skip();
  const std::string& namespace_name = pod.pod.meta.namespace_name;
  std::set<std::string> alone;  // Claims for one pod.
  for (const PodVolume& volume : pod_.volumes) {
    if (!volume.claim) continue;
    const PersistentVolumeClaim* claim =
        FindClaim(cluster_.storage, namespace_name, *volume.claim);
    if (claim == nullptr) {
      result.status = ClaimNotFound(*volume.claim);
      return result;
    }
    if (std::ranges::find(claim->access_modes, "ReadWriteOncePod") !=
        claim->access_modes.end()) {
      alone.insert(claim->name);
    }
  }
  if (!alone.empty() && IsUsed(cluster, cluster_, namespace_name, alone)) {
    result.status = Status();
    result.filter = std::make_unique<Refuse>();
  }
  return result;
}

}  // namespace vicinal
