#include "core/explain/extra_causes.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/explain/describe.h"
#include "core/plugins/nodeports/nodeports.h"
#include "core/plugins/nodevolumelimits/nodevolumelimits.h"
#include "core/plugins/pod_claims.h"
#include "core/plugins/volumebinding/matching_volume.h"
#include "core/plugins/volumebinding/volumebinding.h"
#include "core/plugins/volumerestrictions/volumerestrictions.h"
#include "core/plugins/volumezone/volumezone.h"

namespace vicinal {
namespace {

std::string Describe(const HostPort& port) {
  return absl::StrCat(port.ip == "0.0.0.0" ? "" : port.ip + ":", port.port, "/",
                      port.protocol);
}

bool Has(const PodExtras* pod, const HostPort& wanted) {
  return pod != nullptr &&
         std::ranges::any_of(pod->host_ports, [&](const HostPort& used) {
           return Conflict(wanted, used);
         });
}

std::string Describe(const NodeSelector& selector) {
  std::vector<std::string> terms;
  for (const NodeSelectorTerm& term : selector) {
    std::vector<std::string> parts;
    for (const NodeSelectorRequirement& one : term.match_expressions) {
      parts.push_back(vicinal::Describe(one));
    }
    terms.push_back(absl::StrJoin(parts, " and "));
  }
  return absl::StrJoin(terms, " or ");
}

constexpr std::string_view kVolumePlugins[] = {
    VolumeRestrictions::kName, NodeVolumeLimits::kName, VolumeBinding::kName,
    VolumeZone::kName};

}  // namespace

bool IsAboutVolumes(std::string_view plugin) {
  return std::ranges::find(kVolumePlugins, plugin) != std::end(kVolumePlugins);
}

std::vector<std::size_t> NodePortsCauses::Find(const Refusal& refusal,
                                               CauseList& causes) {
  std::vector<std::size_t> found;
  for (const HostPort& wanted : pod_.host_ports) {
    std::vector<PodReference> pods;
    for (const StoredPod* pod : refusal.node.pods) {
      if (!Has(cluster_.Find(*pod), wanted)) continue;
      pods.push_back({{pod->namespace_name(), std::string(pod->name())},
                      refusal.node.name,
                      false});
    }
    for (const PodInfo* pod : refusal.nominated) {
      const ObjectKey key = KeyOf(pod->pod.meta);
      if (Has(cluster_.Find(key), wanted)) {
        pods.push_back({key, refusal.node.name, true});
      }
    }
    if (pods.empty()) continue;
    std::ranges::sort(pods);
    const std::string port = Describe(wanted);
    found.push_back(causes.FindOrAdd(
        absl::StrCat("NodePorts/", port, "/", refusal.node.name), [&] {
          Cause cause;
          cause.kind = Cause::Kind::kPort;
          cause.plugin = NodePorts::kName;
          cause.reason = NodePorts::kReason;
          cause.rule = "spec.containers[*].ports[*].hostPort";
          cause.wants = "wants the port " + port + " of the node";
          cause.found = "taken on " + refusal.node.name;
          cause.blocking_pods = std::move(pods);
          return cause;
        }));
  }
  return found;
}

std::string VolumeCauses::Claims() const {
  std::vector<std::string> names;
  for (const PodVolume& volume : pod_.volumes) {
    const std::string name = ClaimName(info_.pod.meta.name, volume);
    if (!name.empty()) names.push_back(name);
  }
  return (names.size() == 1 ? "the claim " : "the claims ") + Listed(names, 5);
}

std::string VolumeCauses::BoundElsewhere(const NodeInfo& node) const {
  const bool by_zone = plugin_ == VolumeZone::kName;
  for (const PodVolume& volume : pod_.volumes) {
    const PersistentVolumeClaim* claim =
        FindClaim(cluster_.storage, info_.pod.meta.namespace_name,
                  ClaimName(info_.pod.meta.name, volume));
    if (claim == nullptr) continue;
    const PersistentVolume* bound =
        FindVolume(cluster_.storage, claim->volume_name);
    if (bound == nullptr) continue;
    const std::string what =
        absl::StrCat("uses the claim ", claim->name, " and with it the volume ",
                     bound->name);
    if (!by_zone && !IsWithinReach(*bound, node.labels())) {
      return absl::StrCat(what, ", which only nodes with ",
                          Describe(*bound->node_affinity), " reach");
    }
    const std::string_view key =
        by_zone ? ZoneLabelAgainst(*bound, node.labels()) : "";
    if (!key.empty()) {
      return absl::StrCat(what, ", which is in ", std::string(key), "=",
                          *bound->labels.Find(key));
    }
  }
  return "uses " + Claims();
}

std::string VolumeCauses::Wants(const Refusal& refusal,
                                std::string_view reason) const {
  if (reason == VolumeBinding::kReasonNodeConflict ||
      reason == VolumeZone::kReason) {
    return BoundElsewhere(refusal.node);
  }
  if (reason == VolumeBinding::kReasonBindConflict) {
    return absl::StrCat("wants a volume for ", Claims(),
                        ": none that is available does, and none can be made "
                        "for such a node");
  }
  if (reason == VolumeBinding::kReasonNotEnoughSpace) {
    return absl::StrCat("wants a new volume for ", Claims());
  }
  if (reason == VolumeBinding::kReasonUnbound) {
    return absl::StrCat("uses ", Claims(),
                        ", of which one waits for its volume and is not of a "
                        "StorageClass with WaitForFirstConsumer");
  }
  if (reason == NodeVolumeLimits::kReason) {
    return absl::StrCat("uses ", Claims(),
                        ", for which the node can attach no more volumes");
  }
  if (reason == VolumeRestrictions::kReason) {
    return absl::StrCat("uses ", Claims(),
                        ", of which one is ReadWriteOncePod and in use");
  }
  return absl::StrCat("uses ", Claims(), ": ", std::string(reason));
}

std::vector<std::size_t> VolumeCauses::Find(const Refusal& refusal,
                                            CauseList& causes) {
  std::vector<std::size_t> found;
  for (const std::string_view reason : refusal.status.Reasons()) {
    const std::string wants = Wants(refusal, reason);
    found.push_back(
        causes.FindOrAdd(absl::StrCat(std::string(plugin_), "/",
                                      std::string(reason), "/", wants),
                         [&] {
                           Cause cause;
                           cause.kind = Cause::Kind::kVolume;
                           cause.plugin = plugin_;
                           cause.reason = reason;
                           cause.rule = "spec.volumes";
                           cause.wants = wants;
                           return cause;
                         }));
  }
  return found;
}

std::unique_ptr<CauseFinder> MakeExtraCauseFinder(
    std::string_view plugin, const PodInfo& info, const PodExtras& pod,
    const ClusterExtras& cluster) {
  if (plugin == NodePorts::kName) {
    return std::make_unique<NodePortsCauses>(pod, cluster);
  }
  for (const std::string_view name : kVolumePlugins) {
    if (plugin == name) {
      return std::make_unique<VolumeCauses>(name, info, pod, cluster);
    }
  }
  return nullptr;
}

}  // namespace vicinal
