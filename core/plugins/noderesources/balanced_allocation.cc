#include "core/plugins/noderesources/balanced_allocation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/model/go_int64.h"
#include "core/model/pod_resources.h"

namespace vicinal {
namespace {

// 100 times one minus the standard deviation of the used fractions. The order
// of the operations decides about the last bit, and so about the score.
std::int64_t BalancedResourceScore(std::span<const Allocation> allocations,
                                   std::int64_t Allocation::*used) {
  std::vector<double> fractions;
  double total = 0;
  for (const Allocation& allocation : allocations) {
    if (allocation.allocatable == 0) continue;
    const double fraction =
        std::min(static_cast<double>(allocation.*used) /
                     static_cast<double>(allocation.allocatable),
                 1.0);
    total += fraction;
    fractions.push_back(fraction);
  }
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    const auto count = static_cast<double>(fractions.size());
    const double mean = total / count;
    double sum = 0;
    for (const double fraction : fractions) {
      sum = sum + (fraction - mean) * (fraction - mean);
    }
    deviation = std::sqrt(sum / count);
  }
  return GoToInt64((1 - deviation) * static_cast<double>(kMaxNodeScore));
}

class BalancedAllocationPreparedScore : public PreparedScore {
 public:
  BalancedAllocationPreparedScore(std::vector<ResourceRequest> pod_requests,
                                  bool is_compared)
      : pod_requests_(std::move(pod_requests)), is_compared_(is_compared) {}

  std::int64_t Score(const NodeInfo& node) const override {
    return BalancedAllocationScore(
        AllocationsOn(node, pod_requests_, /*use_requested=*/true),
        is_compared_);
  }

 private:
  const std::vector<ResourceRequest> pod_requests_;
  const bool is_compared_;
};

}  // namespace

std::int64_t BalancedAllocationScore(std::span<const Allocation> allocations,
                                     bool is_compared) {
  const std::int64_t with_pod =
      BalancedResourceScore(allocations, &Allocation::requested);
  if (!is_compared) return with_pod;
  const std::int64_t without_pod =
      BalancedResourceScore(allocations, &Allocation::allocated);
  return GoAdd(kMaxNodeScore / 2,
               GoSubtract(GoAdd(kMaxNodeScore / 2, with_pod), without_pod) / 2);
}

PreScoreResult NodeResourcesBalancedAllocation::PreScore(
    const ClusterState& cluster, const PodInfo& pod,
    const CandidateNodes& /*nodes*/) const {
  PodResourcesOptions options;
  options.release = cluster.release();
  options.use_status_resources = true;
  std::vector<ResourceRequest> requests =
      RequestList(PodRequests(pod.pod, options), args_.resources);
  PreScoreResult result;
  if (std::all_of(requests.begin(), requests.end(),
                  [](const auto& request) { return request.amount == 0; })) {
    result.status = Status::Skip();
    return result;
  }
  result.score = std::make_unique<BalancedAllocationPreparedScore>(
      std::move(requests), cluster.release().balance_is_compared);
  return result;
}

}  // namespace vicinal
