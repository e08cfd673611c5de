#include "core/plugins/noderesources/allocated_share.h"

#include <algorithm>

#include "core/model/go_int64.h"
#include "core/plugins/framework.h"

namespace vicinal {
namespace {

std::int64_t Percentage(std::int64_t part, std::int64_t capacity) {
  return GoDivide(GoMultiply(part, kMaxNodeScore), capacity);
}

std::int64_t FreePercentage(const Allocation& allocation) {
  if (allocation.requested > allocation.allocatable) return 0;
  return Percentage(GoSubtract(allocation.allocatable, allocation.requested),
                    allocation.allocatable);
}

std::int64_t UsedPercentage(const Allocation& allocation) {
  return Percentage(std::min(allocation.requested, allocation.allocatable),
                    allocation.allocatable);
}

template <typename ScoreOne>
std::int64_t WeightedMean(std::span<const ResourceSpec> resources,
                          std::span<const Allocation> allocations,
                          ScoreOne score_one) {
  std::int64_t score = 0;
  std::int64_t weights = 0;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (allocations[i].allocatable == 0) continue;
    const std::int64_t weight = resources[i].weight;
    score = GoAdd(score, GoMultiply(score_one(allocations[i]), weight));
    weights += weight;
  }
  return weights == 0 ? 0 : score / weights;
}

}  // namespace

std::int64_t LeastAllocatedScore(std::span<const ResourceSpec> resources,
                                 std::span<const Allocation> allocations) {
  return WeightedMean(resources, allocations, FreePercentage);
}

std::int64_t MostAllocatedScore(std::span<const ResourceSpec> resources,
                                std::span<const Allocation> allocations) {
  return WeightedMean(resources, allocations, UsedPercentage);
}

}  // namespace vicinal
