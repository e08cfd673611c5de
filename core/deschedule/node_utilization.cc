#include "core/deschedule/node_utilization.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

constexpr double kMillionthsOfPercent = 1e4;
constexpr std::int64_t kCostOfPod = 1'000'000;

const Resource kNothing;

std::int64_t AmountOf(const Resource& resource, std::string_view name) {
  if (name == "cpu") return resource.milli_cpu;
  if (name == "memory") return resource.memory;
  if (name == "ephemeral-storage") return resource.ephemeral_storage;
  return resource.Scalar(name);
}

// Of what the node has; 0 if it has nothing of it. `pods` more than it has.
double PercentOf(const NodeInfo& node, std::string_view name,
                 const Resource& more, std::int64_t pods) {
  const bool is_pods = name == "pods";
  const std::int64_t capacity = is_pods ? node.allocatable.allowed_pod_number
                                        : AmountOf(node.allocatable, name);
  if (capacity <= 0) return 0;
  const std::int64_t used =
      is_pods ? static_cast<std::int64_t>(node.pods.size()) + pods
              : AmountOf(node.requested.resource, name) + AmountOf(more, name);
  return static_cast<double>(used) / static_cast<double>(capacity) * 100;
}

std::string Percent(double percent) {
  return absl::StrCat(std::round(percent * 10) / 10, " %");
}

}  // namespace

NodeUtilization::NodeUtilization(const ClusterState& cluster, StrategyKind kind,
                                 UtilizationArgs args,
                                 const std::optional<Selector>& among)
    : kind_(kind),
      args_(std::move(args)),
      among_(among),
      low_(args_.thresholds),
      high_(args_.target_thresholds) {
  std::int64_t nodes = 0;
  for (const NodeInfo* node : cluster.Nodes()) nodes += IsLookedAt(*node);
  if (args_.use_deviation_thresholds && nodes > 0) {
    for (auto& [name, low] : low_) {
      double average = 0;
      for (const NodeInfo* node : cluster.Nodes()) {
        if (IsLookedAt(*node)) average += PercentOf(*node, name, kNothing, 0);
      }
      average /= static_cast<double>(nodes);
      low = std::clamp(average - low, 0.0, 100.0);
      high_[name] = std::clamp(average + high_[name], 0.0, 100.0);
    }
  }
  bool any_target = false;  // A node that pods come from, or may go to.
  for (const NodeInfo* node : cluster.Nodes()) {
    if (!IsLookedAt(*node)) continue;
    const bool is_low = kind_ == StrategyKind::kLowNodeUtilization;
    const bool is_closed = node->node->unschedulable;
    if (IsUnderutilized(*node) && !(is_low && is_closed)) {
      underutilized_.insert(node->id);
    } else {
      any_target |= is_low ? IsAboveTarget(*node, kNothing, 0) : !is_closed;
    }
  }
  const auto count = static_cast<std::int64_t>(underutilized_.size());
  is_idle_ = count <= args_.number_of_nodes || count == nodes || !any_target;
}

bool NodeUtilization::IsLookedAt(const NodeInfo& node) const {
  return !among_ || among_->Matches(node.labels());
}

bool NodeUtilization::IsUnderutilized(const NodeInfo& node) const {
  return std::ranges::all_of(low_, [&node](const auto& threshold) {
    return PercentOf(node, threshold.first, kNothing, 0) <= threshold.second;
  });
}

bool NodeUtilization::IsAboveTarget(const NodeInfo& node, const Resource& more,
                                    std::int64_t pods) const {
  return std::ranges::any_of(high_, [&](const auto& threshold) {
    return PercentOf(node, threshold.first, more, pods) > threshold.second;
  });
}

bool NodeUtilization::IsSource(const NodeInfo& node, const Resource& more,
                               std::int64_t pods) const {
  if (is_idle_ || !IsLookedAt(node)) return false;
  return kind_ == StrategyKind::kHighNodeUtilization
             ? underutilized_.contains(node.id)
             : IsAboveTarget(node, more, pods);
}

bool NodeUtilization::IsSource(const NodeInfo& node) const {
  return IsSource(node, kNothing, 0);
}

bool NodeUtilization::IsSourceWith(const NodeInfo& node,
                                   const Resource& more) const {
  return IsSource(node, more, 1);
}

std::int64_t NodeUtilization::Cost(const NodeInfo& node, const Resource& more,
                                   std::int64_t pods) const {
  if (!IsLookedAt(node)) return 0;
  if (kind_ == StrategyKind::kHighNodeUtilization) {
    return underutilized_.contains(node.id)
               ? kCostOfPod *
                     (static_cast<std::int64_t>(node.pods.size()) + pods)
               : 0;
  }
  std::int64_t cost = 0;
  for (const auto& [name, target] : high_) {
    cost +=
        std::llround(std::max(0.0, PercentOf(node, name, more, pods) - target) *
                     kMillionthsOfPercent);
  }
  return cost;
}

std::int64_t NodeUtilization::CostWith(const NodeInfo& node,
                                       const Resource& more) const {
  return Cost(node, more, 1);
}

std::int64_t NodeUtilization::CostOf(const NodeInfo& node) const {
  return Cost(node, kNothing, 0);
}

std::int64_t NodeUtilization::TotalCost(const ClusterState& cluster) const {
  std::int64_t cost = 0;
  for (const NodeInfo* node : cluster.Nodes()) cost += CostOf(*node);
  return cost;
}

std::string NodeUtilization::Describe(const NodeInfo& node,
                                      const Resource& more) const {
  if (kind_ == StrategyKind::kHighNodeUtilization) {
    return "its node is underutilized, and could do without pods";
  }
  for (const auto& [name, target] : high_) {
    const double percent = PercentOf(node, name, more, 1);
    if (percent <= target) continue;
    return absl::StrCat(name, " of its node is requested to ", Percent(percent),
                        ", the target is ", Percent(target));
  }
  return "";
}

}  // namespace vicinal
