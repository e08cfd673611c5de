#include "core/explain/complete_filters.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/plugins/nodeports/nodeports.h"
#include "core/plugins/nodevolumelimits/nodevolumelimits.h"
#include "core/plugins/pod_claims.h"
#include "core/plugins/registry.h"
#include "core/plugins/volumebinding/volumebinding.h"
#include "core/plugins/volumerestrictions/volumerestrictions.h"
#include "core/plugins/volumezone/volumezone.h"

namespace vicinal {
namespace {

constexpr std::string_view kInTreePrefix = "kubernetes.io/";

using MakeExtraFilter = std::unique_ptr<FilterPlugin>(const PodExtras&,
                                                      const ClusterExtras&);

template <typename Plugin>
std::unique_ptr<FilterPlugin> Make(const PodExtras& pod,
                                   const ClusterExtras& cluster) {
  return std::make_unique<Plugin>(pod, cluster);
}

const std::map<std::string_view, MakeExtraFilter*>& ExtraFilters() {
  static const auto* const kFilters =
      new std::map<std::string_view, MakeExtraFilter*>{
          {NodePorts::kName, Make<NodePorts>},
          {VolumeRestrictions::kName, Make<VolumeRestrictions>},
          {NodeVolumeLimits::kName, Make<NodeVolumeLimits>},
          {VolumeBinding::kName, Make<VolumeBinding>},
          {VolumeZone::kName, Make<VolumeZone>},
      };
  return *kFilters;
}

// What of the volumes of a pod cannot be judged.
struct VolumeGaps {
  // By plugin that cannot judge, why.
  std::map<std::string_view, std::string> unjudged;
  // What plugins leave out that judge the rest.
  std::set<std::pair<std::string_view, std::string>> left_out;
};

class VolumeGapFinder {
 public:
  VolumeGapFinder(const PodInfo& pod, const PodExtras& extras,
                  const ClusterExtras& cluster)
      : pod_(pod), extras_(extras), cluster_(cluster) {}

  VolumeGaps Find() {
    for (const PodVolume& volume : extras_.volumes) {
      if (!volume.in_tree.empty()) {
        Add({VolumeRestrictions::kName, NodeVolumeLimits::kName},
            absl::StrCat("spec.volumes ", volume.name, ": ", volume.in_tree));
      } else {
        LookAtClaim(volume);
      }
    }
    return std::move(gaps_);
  }

 private:
  const StorageObjects& storage() const { return cluster_.storage; }

  void Add(std::initializer_list<std::string_view> plugins,
           const std::string& why) {
    for (const std::string_view plugin : plugins) {
      gaps_.unjudged.try_emplace(plugin, why);
    }
  }

  void LeaveOut(std::string_view plugin, std::string what) {
    gaps_.left_out.emplace(plugin, std::move(what));
  }

  // An object is not there. Says so if its kind is not known; else that is an
  // answer, which the plugins give.
  void Lacks(const char* kind,
             std::initializer_list<std::string_view> plugins) {
    if (!storage().Knows(kind)) {
      Add(plugins, absl::StrCat("no ", kind, " is known"));
    }
  }

  void LookAtClaim(const PodVolume& volume) {
    const PersistentVolumeClaim* claim =
        FindClaim(storage(), pod_.pod.meta.namespace_name,
                  ClaimName(pod_.pod.meta.name, volume));
    if (claim == nullptr) {
      Lacks(kClaimKind, {VolumeRestrictions::kName, NodeVolumeLimits::kName,
                         VolumeBinding::kName, VolumeZone::kName});
    } else if (claim->volume_name.empty()) {
      LookAtUnbound(*claim);
    } else {
      LookAtVolume(claim->volume_name);
    }
  }

  void LookAtVolume(const std::string& name) {
    const PersistentVolume* volume = FindVolume(storage(), name);
    if (volume == nullptr) {
      Lacks(kVolumeKind,
            {NodeVolumeLimits::kName, VolumeBinding::kName, VolumeZone::kName});
    } else if (volume->in_tree.empty()) {
      LookAtLimits(volume->driver);
    } else {
      Add({NodeVolumeLimits::kName, VolumeBinding::kName, VolumeZone::kName},
          absl::StrCat("PersistentVolume ", name, ": ", volume->in_tree,
                       kWithoutCsi));
    }
  }

  void LookAtUnbound(const PersistentVolumeClaim& claim) {
    const std::string name = ClassOf(claim);
    if (name.empty()) return;
    const StorageClass* found = FindClass(storage(), name);
    if (found == nullptr) {
      Lacks(kStorageClassKind,
            {NodeVolumeLimits::kName, VolumeBinding::kName, VolumeZone::kName});
      return;
    }
    if (found->provisioner.empty() ||
        found->provisioner == VolumeBinding::kNoProvisioner) {
      if (found->binding_mode == kWaitForFirstConsumer) {
        Lacks(kVolumeKind, {VolumeBinding::kName});
      }
      return;
    }
    if (found->provisioner.starts_with(kInTreePrefix)) {
      Add({NodeVolumeLimits::kName},
          absl::StrCat("StorageClass ", name, ": ", found->provisioner,
                       kWithoutCsi));
      return;
    }
    if (found->binding_mode == kWaitForFirstConsumer) {
      LookAtFreeStorage(found->provisioner);
    }
    LookAtLimits(found->provisioner);
  }

  void LookAtFreeStorage(const std::string& provisioner) {
    const auto driver = storage().drivers.find(provisioner);
    const char* lacks = nullptr;
    if (driver == storage().drivers.end()) {
      if (!storage().Knows(kCsiDriverKind)) lacks = kCsiDriverKind;
    } else if (driver->second.storage_capacity &&
               !storage().Knows(kCapacityKind)) {
      lacks = kCapacityKind;
    }
    if (lacks == nullptr) return;
    LeaveOut(VolumeBinding::kName,
             absl::StrCat("whether ", provisioner,
                          " has enough free storage: no ", lacks, " is known"));
  }

  void LookAtLimits(const std::string& driver) {
    if (driver.empty()) return;
    if (!storage().Knows(kCsiNodeKind)) {
      Lacks(kCsiNodeKind, {NodeVolumeLimits::kName});
      return;
    }
    if (!storage().Knows(kCsiDriverKind)) {
      LeaveOut(NodeVolumeLimits::kName,
               absl::StrCat("whether nodes must have ", driver,
                            ": no CSIDriver is known"));
    }
    const bool has_limit =
        std::ranges::any_of(storage().csi_nodes, [&](const auto& node) {
          return std::ranges::any_of(
              node.second.drivers, [&](const CsiNode::Driver& one) {
                return one.name == driver && one.count.has_value();
              });
        });
    if (!has_limit) return;
    if (!storage().Knows(kAttachmentKind)) {
      LeaveOut(NodeVolumeLimits::kName,
               "volumes that no pod on the node uses: no VolumeAttachment is "
               "known");
    }
    const auto in_tree = [](const auto& entry) {
      return !entry.second.in_tree.empty();
    };
    const auto has_in_tree = [](const auto& entry) {
      return std::ranges::any_of(
          entry.second.volumes,
          [](const PodVolume& volume) { return !volume.in_tree.empty(); });
    };
    const auto makes_in_tree = [](const auto& entry) {
      return entry.second.provisioner.starts_with(kInTreePrefix) &&
             entry.second.provisioner != VolumeBinding::kNoProvisioner;
    };
    if (std::ranges::any_of(storage().volumes, in_tree) ||
        std::ranges::any_of(cluster_.pods, has_in_tree) ||
        std::ranges::any_of(storage().classes, makes_in_tree)) {
      LeaveOut(NodeVolumeLimits::kName,
               "volumes of other pods that are written without CSI");
    }
  }

  static constexpr char kWithoutCsi[] = ", which is written without CSI";

  const PodInfo& pod_;
  const PodExtras& extras_;
  const ClusterExtras& cluster_;
  VolumeGaps gaps_;
};

// Plugins that lack the same stand together.
std::vector<NotChecked> Grouped(
    const VolumeGaps& gaps,
    const std::function<bool(std::string_view plugin)>& runs) {
  std::map<std::string, std::vector<std::string>> by_reason;
  std::vector<NotChecked> grouped;
  for (const auto& [plugin, what] : gaps.left_out) {
    if (runs(plugin)) grouped.push_back({{std::string(plugin)}, what});
  }
  for (const auto& [plugin, why] : gaps.unjudged) {
    if (runs(plugin)) by_reason[why].emplace_back(plugin);
  }
  for (auto& [why, plugins] : by_reason) grouped.push_back({plugins, why});
  return grouped;
}

}  // namespace

CompleteFilters MakeCompleteFilters(
    const PluginConfig& config,
    const std::function<bool(std::string_view plugin)>& runs,
    const PodInfo& pod, const PodExtras& extras,
    const ClusterExtras& cluster_extras) {
  const VolumeGaps gaps = VolumeGapFinder(pod, extras, cluster_extras).Find();
  CompleteFilters complete;
  for (const PluginRow& row : Plugins(config.release)) {
    if (!runs(row.name) || gaps.unjudged.contains(row.name)) continue;
    const auto extra = ExtraFilters().find(row.name);
    if (row.filter != nullptr) {
      complete.profile.filters.push_back(row.filter(config));
    } else if (extra != ExtraFilters().end()) {
      complete.profile.filters.push_back(extra->second(extras, cluster_extras));
    } else if (row.name != "SchedulingGates") {
      continue;
    }
    complete.checked.emplace_back(row.name);
  }
  complete.not_checked = Grouped(gaps, runs);
  const auto add = [&](const char* plugin, std::string why) {
    if (runs(plugin)) {
      complete.not_checked.push_back({{plugin}, std::move(why)});
    }
  };
  if (extras.resource_claims) add("DynamicResources", "spec.resourceClaims");
  if (!extras.features.empty()) {
    add("NodeDeclaredFeatures",
        "features of nodes, for " + absl::StrJoin(extras.features, ", "));
  }
  if (extras.scheduling_group) add("GangScheduling", "spec.schedulingGroup");
  return complete;
}

}  // namespace vicinal
