#include "server/metrics/refused_pods.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace vicinal {
namespace {

using std::chrono::seconds;

TEST(RefusedPodsTest, CountsEachPodOnceInAMinute) {
  Metrics metrics;
  RefusedPods refused(metrics);
  const auto start = RefusedPods::Clock::now();
  for (int i = 0; i < 3; ++i) {
    refused.Count("u1", start + seconds(i));
    refused.Count("u2", start + seconds(i));
  }
  EXPECT_EQ(metrics.refusals().Value(), 6);
  EXPECT_EQ(metrics.refused_pods().Value(), 2);
  refused.Count("u1", start + seconds(61));
  EXPECT_EQ(metrics.refusals().Value(), 7);
  EXPECT_EQ(metrics.refused_pods().Value(), 3);
}

TEST(RefusedPodsTest, TellsOnlySoManyPodsApart) {
  Metrics metrics;
  RefusedPods refused(metrics);
  const auto start = RefusedPods::Clock::now();
  for (std::size_t i = 0; i < RefusedPods::kMaxPods + 10; ++i) {
    refused.Count(std::to_string(i), start);
  }
  EXPECT_EQ(metrics.refusals().Value(), RefusedPods::kMaxPods + 10);
  EXPECT_EQ(metrics.refused_pods().Value(), RefusedPods::kMaxPods);
}

}  // namespace
}  // namespace vicinal
