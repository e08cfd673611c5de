// NodeResourcesBalancedAllocation: better where the pod makes the node's
// resources more evenly used.
//
// Source: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_BALANCED_ALLOCATION_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_BALANCED_ALLOCATION_H_

#include <span>
#include <string_view>
#include <utility>

#include "core/plugins/framework.h"
#include "core/plugins/noderesources/noderesources_args.h"
#include "core/plugins/noderesources/resource_allocation.h"

namespace vicinal {

class NodeResourcesBalancedAllocation : public ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesBalancedAllocation";

  // `args` are valid; see Validate.
  explicit NodeResourcesBalancedAllocation(
      NodeResourcesBalancedAllocationArgs args)
      : args_(std::move(args)) {}

  std::string_view Name() const override { return kName; }

  // Skips pods that request none of the resources.
  // Cost: O(containers), O(pods of the node) for each node.
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;

 private:
  const NodeResourcesBalancedAllocationArgs args_;
};

// If it is compared to the balance without the pod: 75 if the pod does not
// change the balance; towards 100 if it improves it, towards 50 if it makes it
// worse. Otherwise the balance itself, 100 if all resources are used alike.
std::int64_t BalancedAllocationScore(std::span<const Allocation> allocations,
                                     bool is_compared);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_BALANCED_ALLOCATION_H_
