#include "core/plugins/noderesources/requested_to_capacity_ratio.h"

#include <cmath>

#include "core/model/go_int64.h"
#include "core/plugins/framework.h"

namespace vicinal {
namespace {

constexpr std::int64_t kMaxUtilization = 100;
constexpr std::int64_t kMaxCustomPriorityScore = 10;

// A point's score on the scale of node scores.
std::int64_t ScoreOf(const UtilizationShapePoint& point) {
  return point.score * (kMaxNodeScore / kMaxCustomPriorityScore);
}

// BuildBrokenLinearFunction: constant before the first and after the last point
// and linear between points, in integers.
std::int64_t Interpolate(std::span<const UtilizationShapePoint> shape,
                         std::int64_t utilization) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) continue;
    if (i == 0) return ScoreOf(shape[0]);
    const std::int64_t from = ScoreOf(shape[i - 1]);
    return from + (ScoreOf(shape[i]) - from) *
                      (utilization - shape[i - 1].utilization) /
                      (shape[i].utilization - shape[i - 1].utilization);
  }
  return ScoreOf(shape.back());
}

std::int64_t Utilization(const Allocation& allocation) {
  if (allocation.requested > allocation.allocatable) return kMaxUtilization;
  return GoDivide(GoMultiply(allocation.requested, kMaxUtilization),
                  allocation.allocatable);
}

}  // namespace

std::int64_t RequestedToCapacityRatioScore(
    std::span<const UtilizationShapePoint> shape,
    std::span<const ResourceSpec> resources,
    std::span<const Allocation> allocations) {
  std::int64_t score = 0;
  std::int64_t weights = 0;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (allocations[i].allocatable == 0) continue;
    const std::int64_t resource_score =
        Interpolate(shape, Utilization(allocations[i]));
    if (resource_score <= 0) continue;
    score += resource_score * resources[i].weight;
    weights += resources[i].weight;
  }
  if (weights == 0) return 0;
  return GoToInt64(
      std::round(static_cast<double>(score) / static_cast<double>(weights)));
}

}  // namespace vicinal
