// How full nodes are by the requests of their pods, for the strategies
// LowNodeUtilization and HighNodeUtilization.
//
// Source: sigs.k8s.io/descheduler pkg/framework/plugins/nodeutilization.
#ifndef VICINAL_CORE_DESCHEDULE_NODE_UTILIZATION_H_
#define VICINAL_CORE_DESCHEDULE_NODE_UTILIZATION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "core/deschedule/policy.h"
#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/model/resource.h"
#include "core/model/selector.h"

namespace vicinal {

// The thresholds are made, and the nodes are told apart, once, from the cluster
// as it is then. Immutable. Nodes must not change during its life; their pods
// may.
class NodeUtilization {
 public:
  // `kind`: kLowNodeUtilization or kHighNodeUtilization. `among`: the nodes
  // that are looked at. Cost: O(nodes × thresholds).
  NodeUtilization(const ClusterState& cluster, StrategyKind kind,
                  UtilizationArgs args, const std::optional<Selector>& among);

  StrategyKind kind() const { return kind_; }
  const UtilizationArgs& args() const { return args_; }

  // Whether pods are to leave the node: it is above a target, or, of
  // kHighNodeUtilization, it is one of those to be emptied. Always false where
  // the strategy has nothing to do: no node is underutilized, or not more than
  // numberOfNodes, or all are, or there is no other that would take a pod.
  bool IsSource(const NodeInfo& node) const;
  // The same with `more` and one pod more on it.
  bool IsSourceWith(const NodeInfo& node, const Resource& more) const;

  // How far the node is above the targets, with `more` and one pod more on it,
  // or as it is: in millionths of what it has, over all resources together. Of
  // kHighNodeUtilization a million for each pod on a node to be emptied.
  std::int64_t CostWith(const NodeInfo& node, const Resource& more) const;
  std::int64_t CostOf(const NodeInfo& node) const;

  // Of all nodes. Cost: O(nodes).
  std::int64_t TotalCost(const ClusterState& cluster) const;

  // Why pods are to leave the node: "cpu is requested to 85 %, targetThresholds
  // has 70 %".
  std::string Describe(const NodeInfo& node, const Resource& more) const;

 private:
  bool IsSource(const NodeInfo& node, const Resource& more,
                std::int64_t pods) const;
  bool IsLookedAt(const NodeInfo& node) const;
  bool IsUnderutilized(const NodeInfo& node) const;
  bool IsAboveTarget(const NodeInfo& node, const Resource& more,
                     std::int64_t pods) const;
  std::int64_t Cost(const NodeInfo& node, const Resource& more,
                    std::int64_t pods) const;

  const StrategyKind kind_;
  const UtilizationArgs args_;
  const std::optional<Selector> among_;
  // In percent; differ from the args' with useDeviationThresholds.
  ResourceThresholds low_;
  ResourceThresholds high_;
  absl::flat_hash_set<NodeId> underutilized_;
  bool is_idle_ = false;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_NODE_UTILIZATION_H_
