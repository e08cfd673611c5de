#include "core/plugins/nodeports/nodeports.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace vicinal {
namespace {

constexpr std::string_view kAllAddresses = "0.0.0.0";

class PortsFilter : public PreparedFilter {
 public:
  PortsFilter(const PodExtras& pod, const ClusterExtras& cluster,
              std::vector<const PodExtras*> added = {})
      : pod_(pod), cluster_(cluster), added_(std::move(added)) {}

  Status Filter(const NodeInfo& node) const override {
    const auto has_conflict = [this](const PodExtras* other) {
      if (other == nullptr) return false;
      return std::ranges::any_of(pod_.host_ports, [&](const HostPort& wanted) {
        return std::ranges::any_of(
            other->host_ports,
            [&](const HostPort& used) { return Conflict(wanted, used); });
      });
    };
    for (const StoredPod* pod : node.pods) {
      if (has_conflict(cluster_.Find(*pod))) return Refused();
    }
    if (std::ranges::any_of(added_, has_conflict)) return Refused();
    return Status();
  }

  std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added,
      const NodeInfo& /*node*/) const override {
    std::vector<const PodExtras*> extras;
    for (const PodInfo* pod : added) {
      extras.push_back(cluster_.Find(KeyOf(pod->pod.meta)));
    }
    return std::make_unique<PortsFilter>(pod_, cluster_, std::move(extras));
  }

 private:
  static Status Refused() {
    return Status(Code::kUnschedulable, NodePorts::kReason);
  }

  const PodExtras& pod_;
  const ClusterExtras& cluster_;
  const std::vector<const PodExtras*> added_;
};

}  // namespace

bool Conflict(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kAllAddresses || b.ip == kAllAddresses);
}

PreFilterResult NodePorts::PreFilter(const ClusterState& /*cluster*/,
                                     const PodInfo& /*pod*/) const {
  PreFilterResult result;
  if (pod_.host_ports.empty()) {
    result.status = Status::Skip();
    return result;
  }
  result.filter = std::make_unique<PortsFilter>(pod_, cluster_);
  return result;
}

}  // namespace vicinal
