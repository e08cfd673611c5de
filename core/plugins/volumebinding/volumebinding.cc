#include "core/plugins/volumebinding/volumebinding.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plugins/pod_claims.h"
#include "core/plugins/volumebinding/matching_volume.h"

namespace vicinal {
namespace {

using Claims = std::vector<const PersistentVolumeClaim*>;

Status Refused(std::string reason) {
  return Status(Code::kUnschedulableAndUnresolvable,
                std::vector{std::move(reason)});
}

bool Satisfies(const std::vector<StorageClass::TopologyRequirement>& term,
               const Labels& labels) {
  return !term.empty() &&
         std::ranges::all_of(
             term, [&](const StorageClass::TopologyRequirement& requirement) {
               const std::string* value = labels.Find(requirement.key);
               return value != nullptr &&
                      std::ranges::find(requirement.values, *value) !=
                          requirement.values.end();
             });
}

bool IsAllowed(const StorageClass& one, const Labels& labels) {
  return one.allowed_topologies.empty() ||
         std::ranges::any_of(one.allowed_topologies, [&](const auto& term) {
           return Satisfies(term, labels);
         });
}

// Whether the driver of the class can make the claim's volume near the node.
// Source: hasEnoughCapacity in binder.go.
bool HasCapacity(const StorageObjects& storage,
                 const PersistentVolumeClaim& claim, const StorageClass& one,
                 const Labels& labels) {
  if (!claim.request) return true;
  const auto driver = storage.drivers.find(one.provisioner);
  if (driver == storage.drivers.end() || !driver->second.storage_capacity) {
    return true;
  }
  return std::ranges::any_of(storage.capacities, [&](const auto& entry) {
    const CsiStorageCapacity& capacity = entry.second;
    const std::optional<Quantity>& limit = capacity.maximum_volume_size
                                               ? capacity.maximum_volume_size
                                               : capacity.capacity;
    if (capacity.class_name != one.name || !limit ||
        limit->Value() < claim.request->Value() || !capacity.node_topology) {
      return false;
    }
    const absl::StatusOr<Selector> selector =
        AsSelector(capacity.node_topology);
    return selector.ok() && selector->Matches(labels);
  });
}

class BindingFilter : public PreparedFilter {
 public:
  BindingFilter(const StorageObjects& storage, Claims bound, Claims delayed)
      : storage_(storage),
        bound_(std::move(bound)),
        delayed_(std::move(delayed)) {}

  // Source: FindPodVolumes in binder.go.
  Status Filter(const NodeInfo& node) const override {
    std::vector<std::string> reasons;
    bool all_exist = true;
    for (const PersistentVolumeClaim* claim : bound_) {
      const PersistentVolume* volume = FindVolume(storage_, claim->volume_name);
      if (volume == nullptr) {
        all_exist = false;
        break;
      }
      if (!IsWithinReach(*volume, node.labels())) {
        reasons.emplace_back(VolumeBinding::kReasonNodeConflict);
        break;
      }
    }
    AddDelayed(node, reasons);
    if (!all_exist) reasons.emplace_back(VolumeBinding::kReasonNoVolume);
    if (reasons.empty()) return Status();
    return Status(Code::kUnschedulableAndUnresolvable, std::move(reasons));
  }

 private:
  void AddDelayed(const NodeInfo& node,
                  std::vector<std::string>& reasons) const {
    Claims to_match;
    Claims to_make;
    for (const PersistentVolumeClaim* claim : delayed_) {
      if (!claim->selected_node) {
        to_match.push_back(claim);
      } else if (*claim->selected_node == node.name) {
        to_make.push_back(claim);
      } else {
        reasons.emplace_back(VolumeBinding::kReasonBindConflict);
        return;
      }
    }
    std::ranges::stable_sort(to_match, [](const auto* a, const auto* b) {
      return a->request.value_or(Quantity()) < b->request.value_or(Quantity());
    });
    std::set<std::string> taken;
    for (const PersistentVolumeClaim* claim : to_match) {
      const PersistentVolume* volume =
          FindMatchingVolume(storage_, *claim, node.labels(), taken);
      if (volume == nullptr) {
        to_make.push_back(claim);
      } else {
        taken.insert(volume->name);
      }
    }
    for (const PersistentVolumeClaim* claim : to_make) {
      const StorageClass& one = *FindClass(storage_, ClassOf(*claim));
      if (one.provisioner.empty() ||
          one.provisioner == VolumeBinding::kNoProvisioner ||
          !IsAllowed(one, node.labels())) {
        reasons.emplace_back(VolumeBinding::kReasonBindConflict);
        return;
      }
      if (!HasCapacity(storage_, *claim, one, node.labels())) {
        reasons.emplace_back(VolumeBinding::kReasonNotEnoughSpace);
        return;
      }
    }
  }

  const StorageObjects& storage_;
  const Claims bound_;
  const Claims delayed_;
};

// Whether the claim is fit for use; else why not. Source: podHasPVCs.
Status CheckClaim(const PersistentVolumeClaim* claim, const std::string& name,
                  bool ephemeral, const Pod& pod) {
  if (claim == nullptr) {
    if (!ephemeral) return ClaimNotFound(name);
    return Refused(
        "waiting for ephemeral volume controller to create the "
        "persistentvolumeclaim \"" +
        name + "\"");
  }
  if (claim->phase == "Lost") {
    return Refused("persistentvolumeclaim \"" + name +
                   "\" bound to non-existent persistentvolume \"" +
                   claim->volume_name + "\"");
  }
  if (claim->is_deleted) {
    return Refused("persistentvolumeclaim \"" + name + "\" is being deleted");
  }
  if (ephemeral && !IsFor(*claim, pod)) {
    const std::string space = claim->namespace_name + "/";
    return Refused("PVC " + space + name + " was not created for pod " +
                   pod.meta.namespace_name + "/" + pod.meta.name +
                   " (pod is not owner)");
  }
  return Status();
}

}  // namespace

PreFilterResult VolumeBinding::PreFilter(const ClusterState& /*cluster*/,
                                         const PodInfo& pod) const {
  PreFilterResult result;
  const StorageObjects& storage = cluster_.storage;
  Claims all;
  for (const PodVolume& volume : pod_.volumes) {
    if (!volume.claim && !volume.ephemeral) continue;
    const std::string name = ClaimName(pod.pod.meta.name, volume);
    const PersistentVolumeClaim* claim =
        FindClaim(storage, pod.pod.meta.namespace_name, name);
    result.status = CheckClaim(claim, name, !volume.claim, pod.pod);
    if (!result.status.ok()) return result;
    all.push_back(claim);
  }
  if (all.empty()) {
    result.status = Status::Skip();
    return result;
  }
  Claims bound;
  Claims delayed;
  bool waits = false;
  for (const PersistentVolumeClaim* claim : all) {
    if (!claim->volume_name.empty() && claim->is_bound) {
      bound.push_back(claim);
      continue;
    }
    const StorageClass* found = FindClass(storage, ClassOf(*claim));
    if (found != nullptr && !found->binding_mode) {
      result.status = Status::Error(
          "VolumeBindingMode not set for StorageClass \"" + found->name + "\"");
      return result;
    }
    if (found != nullptr && found->binding_mode == kWaitForFirstConsumer &&
        claim->volume_name.empty()) {
      delayed.push_back(claim);
    } else {
      waits = true;
    }
  }
  if (waits) {
    result.status = Status(Code::kUnschedulableAndUnresolvable, kReasonUnbound);
    return result;
  }
  result.filter = std::make_unique<BindingFilter>(storage, std::move(bound),
                                                  std::move(delayed));
  return result;
}

}  // namespace vicinal
