#include <memory>
#include <utility>
#include <vector>

#include "core/model/pod_resources.h"
#include "core/plugins/noderesources/allocated_share.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/noderesources/requested_to_capacity_ratio.h"
#include "core/plugins/noderesources/resource_allocation.h"

namespace vicinal {
namespace {

class FitScore : public PreparedScore {
 public:
  FitScore(const ScoringStrategy& strategy,
           std::vector<ResourceRequest> pod_requests)
      : strategy_(strategy), pod_requests_(std::move(pod_requests)) {}

  std::int64_t Score(const NodeInfo& node) const override {
    const std::vector<Allocation> allocations =
        AllocationsOn(node, pod_requests_,
                      /*use_requested=*/false);
    if (strategy_.type == ScoringStrategy::kLeastAllocated) {
      return LeastAllocatedScore(strategy_.resources, allocations);
    }
    if (strategy_.type == ScoringStrategy::kMostAllocated) {
      return MostAllocatedScore(strategy_.resources, allocations);
    }
    return RequestedToCapacityRatioScore(strategy_.shape, strategy_.resources,
                                         allocations);
  }

 private:
  const ScoringStrategy& strategy_;
  const std::vector<ResourceRequest> pod_requests_;
};

}  // namespace

PreScoreResult NodeResourcesFit::PreScore(
    const ClusterState& /*cluster*/, const PodInfo& pod,
    const CandidateNodes& /*nodes*/) const {
  // Upstream forgets to hand the feature gates to this scorer: what the pod
  // requests on the level of the pod does not count here.
  PodResourcesOptions options;
  options.skip_pod_level_resources = true;
  options.non_missing_container_requests = DefaultNonZeroRequests();
  PreScoreResult result;
  result.score = std::make_unique<FitScore>(
      args_.scoring_strategy, RequestList(PodRequests(pod.pod, options),
                                          args_.scoring_strategy.resources));
  return result;
}

}  // namespace vicinal
