#include "core/plugins/volumezone/volumezone.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/model/node.h"
#include "core/plugins/pod_claims.h"

namespace vicinal {
namespace {

struct TopologyLabel {
  std::string_view key;
  std::string_view today;  // The key's successor, or itself.
};

constexpr TopologyLabel kTopologyLabels[] = {
    {"failure-domain.beta.kubernetes.io/zone", kZoneLabel},
    {"failure-domain.beta.kubernetes.io/region", kRegionLabel},
    {kZoneLabel, kZoneLabel},
    {kRegionLabel, kRegionLabel},
};

struct Topology {
  const TopologyLabel* label;
  std::set<std::string, std::less<>> values;
};

// The values of a label of several zones, `a__b`; none if one is empty.
// Source: LabelZonesToSet in k8s.io/cloud-provider/volume/helpers/zones.go.
std::set<std::string, std::less<>> ZonesOf(std::string_view text) {
  constexpr std::string_view kDelimiter = "__";
  std::set<std::string, std::less<>> zones;
  for (;;) {
    const std::size_t end = text.find(kDelimiter);
    std::string_view zone = text.substr(0, end);
    const std::size_t first = zone.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    zone = zone.substr(first, zone.find_last_not_of(' ') - first + 1);
    zones.emplace(zone);
    if (end == std::string_view::npos) return zones;
    text.remove_prefix(end + kDelimiter.size());
  }
}

// Where the volume is, by its labels.
std::vector<Topology> TopologiesOf(const PersistentVolume& volume) {
  std::vector<Topology> topologies;
  for (const TopologyLabel& label : kTopologyLabels) {
    const std::string* value = volume.labels.Find(label.key);
    if (value == nullptr) continue;
    std::set<std::string, std::less<>> zones = ZonesOf(*value);
    if (!zones.empty()) topologies.push_back({&label, std::move(zones)});
  }
  return topologies;
}

bool Allows(const Topology& topology, const Labels& node) {
  const std::string* value = node.Find(topology.label->key);
  if (value == nullptr) value = node.Find(topology.label->today);
  return value != nullptr && topology.values.contains(*value);
}

class ZoneFilter : public PreparedFilter {
 public:
  explicit ZoneFilter(std::vector<Topology> topologies)
      : topologies_(std::move(topologies)) {}

  Status Filter(const NodeInfo& node) const override {
    const Labels& labels = node.labels();
    // A cluster of one zone need not say so.
    if (std::ranges::none_of(kTopologyLabels, [&](const TopologyLabel& label) {
          return labels.Has(label.key);
        })) {
      return Status();
    }
    return std::ranges::all_of(topologies_,
                               [&](const Topology& topology) {
                                 return Allows(topology, labels);
                               })
               ? Status()
               : Status(Code::kUnschedulableAndUnresolvable,
                        VolumeZone::kReason);
  }

 private:
  const std::vector<Topology> topologies_;
};

Status Refused(std::string reason) {
  return Status(Code::kUnschedulableAndUnresolvable,
                std::vector{std::move(reason)});
}

// Whether a claim without a volume may be without one; else why not.
Status MayBeUnbound(const StorageObjects& storage,
                    const PersistentVolumeClaim& claim) {
  const std::string name = ClassOf(claim);
  if (name.empty()) {
    return Refused(
        "PersistentVolumeClaim had no pv name and storageClass name");
  }
  const StorageClass* found = FindClass(storage, name);
  if (found == nullptr) {
    return Refused(NotFound("storageclass.storage.k8s.io", name));
  }
  if (!found->binding_mode) {
    return Refused("VolumeBindingMode not set for StorageClass \"" + name +
                   "\"");
  }
  if (found->binding_mode == kWaitForFirstConsumer) return Status();
  return Refused("PersistentVolume had no name");
}

}  // namespace

std::string_view ZoneLabelAgainst(const PersistentVolume& volume,
                                  const Labels& node) {
  for (const Topology& topology : TopologiesOf(volume)) {
    if (!Allows(topology, node)) return topology.label->key;
  }
  return "";
}

PreFilterResult VolumeZone::PreFilter(const ClusterState& /*cluster*/,
                                      const PodInfo& pod) const {
  PreFilterResult result;
  const StorageObjects& storage = cluster_.storage;
  std::vector<Topology> topologies;
  for (const PodVolume& volume : pod_.volumes) {
    if (!volume.claim) continue;
    const PersistentVolumeClaim* claim =
        FindClaim(storage, pod.pod.meta.namespace_name, *volume.claim);
    if (claim == nullptr) {
      result.status = ClaimNotFound(*volume.claim);
      return result;
    }
    if (claim->volume_name.empty()) {
      result.status = MayBeUnbound(storage, *claim);
      if (!result.status.ok()) return result;
      continue;
    }
    const PersistentVolume* found = FindVolume(storage, claim->volume_name);
    if (found == nullptr) {
      result.status = Refused(NotFound("persistentvolume", claim->volume_name));
      return result;
    }
    std::ranges::move(TopologiesOf(*found), std::back_inserter(topologies));
  }
  if (topologies.empty()) {
    result.status = Status::Skip();
    return result;
  }
  result.filter = std::make_unique<ZoneFilter>(std::move(topologies));
  return result;
}

}  // namespace vicinal
