// The expected scores come from running k8s.io/kubernetes v1.37.1.
#include <cstdint>
#include <vector>

#include "core/plugins/noderesources/allocated_share.h"
#include "core/plugins/noderesources/balanced_allocation.h"
#include "core/plugins/noderesources/noderesources_args.h"
#include "core/plugins/noderesources/requested_to_capacity_ratio.h"
#include "core/plugins/noderesources/resource_allocation.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

using Allocations = std::vector<Allocation>;
using Shape = std::vector<UtilizationShapePoint>;

std::vector<ResourceSpec> Weights(const std::vector<std::int64_t>& weights) {
  std::vector<ResourceSpec> resources;
  for (const std::int64_t weight : weights) resources.push_back({"r", weight});
  return resources;
}

// Requested, allocated and allocatable of each resource; weights; scores.
TEST(LeastAndMostAllocatedTest, ScoresAreThoseOfUpstream) {
  static const struct {
    Allocations allocations;
    std::vector<std::int64_t> weights;
    std::int64_t least;
    std::int64_t most;
  } kCases[] = {
      {{{3000, 3000, 4000}, {5000, 5000, 10000}}, {1, 1}, 37, 62},
      {{{3000, 1000, 4000}, {5000, 2000, 10000}}, {1, 1}, 37, 62},
      {{{3000, 1000, 4000}, {5000, 2000, 10000}}, {3, 1}, 31, 68},
      {{{433, 100, 3000}, {433, 100, 7000}}, {1, 2}, 90, 8},
      {{{200, 100, 1000}, {300, 100, 1000}, {8, 7, 5}}, {1, 1, 5}, 21, 78},
      {{{200, 100, 1000}, {300, 100, 1000}, {0, 0, 0}}, {1, 1, 5}, 75, 25},
      {{{200, 100, 1000}, {300, 100, 1000}, {5, 2, 8}}, {1, 1, 5}, 47, 51},
      {{{10, 0, 1000}, {2, 1, 9223372036854775807}}, {1, 1}, 49, 0},
      {{{10, 0, 1000}, {100000000000001000, 1000, 200000000000000000}},
       {1, 1},
       28,
       -20},
  };
  for (const auto& c : kCases) {
    const std::vector<ResourceSpec> resources = Weights(c.weights);
    EXPECT_EQ(LeastAllocatedScore(resources, c.allocations), c.least);
    EXPECT_EQ(MostAllocatedScore(resources, c.allocations), c.most);
  }
}

TEST(LeastAndMostAllocatedTest, ANodeWithNoneOfTheResourcesScoresZero) {
  EXPECT_EQ(LeastAllocatedScore(Weights({1, 1}), Allocations(2)), 0);
  EXPECT_EQ(MostAllocatedScore(Weights({1, 1}), Allocations(2)), 0);
}

TEST(RequestedToCapacityRatioTest, ScoresAreThoseOfUpstream) {
  const Shape rising = {{0, 0}, {100, 10}};
  const Shape falling = {{0, 10}, {40, 7}, {70, 0}};
  const Shape peak = {{30, 2}, {60, 9}, {61, 1}};
  static const struct {
    Allocations allocations;
    std::vector<std::int64_t> weights;
    std::int64_t rising;
    std::int64_t falling;
    std::int64_t peak;
  } kCases[] = {
      {{{3000, 3000, 4000}, {5000, 5000, 10000}}, {1, 1}, 63, 47, 38},
      {{{3000, 1000, 4000}, {5000, 2000, 10000}}, {1, 1}, 63, 47, 38},
      {{{3000, 1000, 4000}, {5000, 2000, 10000}}, {3, 1}, 69, 47, 24},
      {{{433, 100, 3000}, {433, 100, 7000}}, {1, 2}, 9, 94, 20},
      {{{200, 100, 1000}, {300, 100, 1000}, {8, 7, 5}}, {1, 1, 5}, 79, 82, 13},
      {{{200, 100, 1000}, {300, 100, 1000}, {0, 0, 0}}, {1, 1, 5}, 25, 82, 20},
      {{{200, 100, 1000}, {300, 100, 1000}, {5, 2, 8}}, {1, 1, 5}, 51, 37, 13},
      {{{10, 0, 1000}, {2, 1, 9223372036854775807}}, {1, 1}, 1, 100, 20},
      {{{10, 0, 1000}, {100000000000001000, 1000, 200000000000000000}},
       {1, 1},
       1,
       100,
       20},
  };
  for (const auto& c : kCases) {
    const std::vector<ResourceSpec> resources = Weights(c.weights);
    const auto score = [&](const Shape& shape) {
      return RequestedToCapacityRatioScore(shape, resources, c.allocations);
    };
    EXPECT_EQ(score(rising), c.rising);
    EXPECT_EQ(score(falling), c.falling);
    EXPECT_EQ(score(peak), c.peak);
  }
}

// Among them cases that another order of the floating-point operations gets
// wrong.
TEST(BalancedAllocationScoreTest, ScoresAreThoseOfUpstream) {
  static const struct {
    Allocations allocations;
    std::int64_t score;
  } kCases[] = {
      {{{625, 67, 700}, {457, 319, 700}}, 77},
      {{{2028, 107, 3000}, {992, 589, 2000}}, 76},
      {{{458, 337, 700}, {598, 312, 700}}, 70},
      {{{1442, 354, 2000}, {901, 176, 1000}}, 70},
      {{{2760, 1247, 3000}, {2220, 1195, 3000}}, 70},
      {{{1053, 91, 3000}, {1102, 13, 2000}}, 70},
      {{{526, 279, 700}, {386, 254, 700}}, 70},
      {{{1302, 614, 2000}, {1413, 169, 3000}}, 76},
      {{{358, 211, 1000}, {1116, 360, 2000}}, 70},
      {{{2288, 341, 3000}, {1628, 463, 3000}}, 70},
      {{{1715, 962, 2000}, {1315, 498, 2000}}, 75},
      {{{2082, 984, 3000}, {914, 489, 1000}}, 73},
      {{{566, 414, 1000}, {786, 115, 1000}}, 76},
      {{{1542, 187, 2000}, {1713, 1459, 3000}}, 79},
      {{{500, 0, 1000}, {500, 0, 1000}}, 75},
      {{{500, 0, 1000}, {500, 500, 1000}}, 87},
      {{{1000, 500, 1000}, {500, 500, 1000}}, 62},
      {{{1000, 0, 1000}, {0, 0, 1000}, {0, 0, 0}}, 50},
      {{{6, 3, 10}, {5, 3, 10}, {4, 3, 10}}, 70},
      {{{8, 3, 10}, {9, 3, 10}, {10, 3, 10}}, 70},
      {{{7, 3, 10}, {6, 3, 10}, {7, 3, 10}}, 72},
      {{{13, 6, 20}, {15, 6, 20}, {9, 6, 20}}, 68},
      {{{10, 9, 20}, {10, 9, 20}, {8, 6, 20}, {8, 4, 20}}, 78},
      {{{8, 3, 10}, {9, 2, 10}, {5, 3, 10}, {8, 3, 10}}, 70},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(BalancedAllocationScore(c.allocations, true), c.score)
        << c.allocations[0].requested << " of " << c.allocations[0].allocatable;
  }
}

TEST(BalancedAllocationScoreTest, OverfullNodesCountAsFull) {
  EXPECT_EQ(BalancedAllocationScore(Allocations{{300, 200, 100}, {100, 0, 100}},
                                    true),
            BalancedAllocationScore(Allocations{{100, 100, 100}, {100, 0, 100}},
                                    true));
}

}  // namespace
}  // namespace vicinal
