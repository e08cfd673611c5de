#include "core/plugins/nodevolumelimits/nodevolumelimits.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plugins/pod_claims.h"

namespace vicinal {
namespace {

// A CSI driver, and one of its volumes.
using Attachable = std::pair<std::string, std::string>;

// What a claim attaches: its volume, or one that its class will make. Nothing
// if that is not known.
std::set<Attachable> AttachableOf(const StorageObjects& storage,
                                  const PersistentVolumeClaim& claim) {
  const PersistentVolume* volume = FindVolume(storage, claim.volume_name);
  if (volume != nullptr) {
    if (volume->driver.empty() || volume->handle.empty()) return {};
    return {{volume->driver, volume->handle}};
  }
  const StorageClass* found = FindClass(storage, ClassOf(claim));
  if (found == nullptr || found->provisioner.empty()) return {};
  // A name that no volume has.
  return {{found->provisioner, "\n" + claim.namespace_name + "/" + claim.name}};
}

void AddAttachables(const StorageObjects& storage,
                    const std::string& namespace_name,
                    std::string_view pod_name, const PodExtras& pod,
                    std::set<Attachable>& out) {
  for (const PodVolume& volume : pod.volumes) {
    if (!volume.claim && !volume.ephemeral) continue;
    const PersistentVolumeClaim* claim =
        FindClaim(storage, namespace_name, ClaimName(pod_name, volume));
    if (claim != nullptr) out.merge(AttachableOf(storage, *claim));
  }
}

class LimitsFilter : public PreparedFilter {
 public:
  LimitsFilter(const ClusterExtras& cluster, std::set<Attachable> wanted,
               std::span<const PodInfo* const> added = {})
      : cluster_(cluster),
        wanted_(std::move(wanted)),
        added_(added.begin(), added.end()) {}

  Status Filter(const NodeInfo& node) const override {
    const auto it = cluster_.storage.csi_nodes.find(node.name);
    const CsiNode* csi_node =
        it == cluster_.storage.csi_nodes.end() ? nullptr : &it->second;
    for (const auto& [driver, handle] : wanted_) {
      if (IsMissing(driver, csi_node)) {
        return Status(
            Code::kUnschedulable,
            std::vector{driver + " CSI driver is not installed on the node"});
      }
    }
    std::map<std::string, std::int64_t> limits;
    if (csi_node != nullptr) {
      for (const CsiNode::Driver& driver : csi_node->drivers) {
        if (driver.count) limits[driver.name] = *driver.count;
      }
    }
    if (limits.empty()) return Status();
    const std::set<Attachable> attached = AttachedTo(node);
    std::map<std::string, std::int64_t> counts;
    for (const auto& [driver, handle] : attached) ++counts[driver];
    std::set<std::string> more;  // Drivers of which there would be more.
    for (const Attachable& one : wanted_) {
      if (attached.contains(one)) continue;
      ++counts[one.first];
      more.insert(one.first);
    }
    for (const std::string& driver : more) {
      const auto limit = limits.find(driver);
      if (limit != limits.end() && counts[driver] > limit->second) {
        return Status(Code::kUnschedulable, NodeVolumeLimits::kReason);
      }
    }
    return Status();
  }

  std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added,
      const NodeInfo& /*node*/) const override {
    return std::make_unique<LimitsFilter>(cluster_, wanted_, added);
  }

 private:
  bool IsMissing(const std::string& name, const CsiNode* csi_node) const {
    const auto driver = cluster_.storage.drivers.find(name);
    if (driver == cluster_.storage.drivers.end() ||
        !driver->second.prevent_pod_scheduling_if_missing) {
      return false;
    }
    return csi_node == nullptr ||
           std::ranges::find(csi_node->drivers, name, &CsiNode::Driver::name) ==
               csi_node->drivers.end();
  }

  std::set<Attachable> AttachedTo(const NodeInfo& node) const {
    const StorageObjects& storage = cluster_.storage;
    std::set<Attachable> attached;
    for (const StoredPod* pod : node.pods) {
      const PodExtras* extras = cluster_.Find(*pod);
      if (extras == nullptr) continue;
      AddAttachables(storage, pod->namespace_name(), pod->name(), *extras,
                     attached);
    }
    for (const PodInfo* pod : added_) {
      const ObjectKey key = KeyOf(pod->pod.meta);
      const PodExtras* extras = cluster_.Find(key);
      if (extras == nullptr) continue;
      AddAttachables(storage, key.namespace_name, key.name, *extras, attached);
    }
    for (const auto& [name, attachment] : storage.attachments) {
      if (attachment.node != node.name || attachment.attacher.empty()) continue;
      const PersistentVolume* volume = FindVolume(storage, attachment.volume);
      if (volume == nullptr || volume->driver.empty()) continue;
      attached.insert({attachment.attacher, volume->handle});
    }
    return attached;
  }

  const ClusterExtras& cluster_;
  const std::set<Attachable> wanted_;
  const std::vector<const PodInfo*> added_;
};

}  // namespace

PreFilterResult NodeVolumeLimits::PreFilter(const ClusterState& /*cluster*/,
                                            const PodInfo& pod) const {
  PreFilterResult result;
  std::set<Attachable> wanted;
  AddAttachables(cluster_.storage, pod.pod.meta.namespace_name,
                 pod.pod.meta.name, pod_, wanted);
  if (wanted.empty()) {
    result.status = Status::Skip();
    return result;
  }
  result.filter = std::make_unique<LimitsFilter>(cluster_, std::move(wanted));
  return result;
}

}  // namespace vicinal
