#include "core/model/go_int64.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(GoInt64Test, ResultsAreCutTo64Bits) {
  EXPECT_EQ(GoAdd(2, 3), 5);
  EXPECT_EQ(GoAdd(kMax, 1), kMin);
  EXPECT_EQ(GoSubtract(2, 3), -1);
  EXPECT_EQ(GoSubtract(kMin, 1), kMax);
  EXPECT_EQ(GoMultiply(-2, 3), -6);
  EXPECT_EQ(GoMultiply(kMax, 2), -2);
  EXPECT_EQ(GoDivide(7, -2), -3);
  EXPECT_EQ(GoDivide(7, -1), -7);
  EXPECT_EQ(GoDivide(kMin, -1), kMin);
}

TEST(GoInt64Test, DoublesAreCutTowardsZero) {
  EXPECT_EQ(GoToInt64(2.9), 2);
  EXPECT_EQ(GoToInt64(-2.9), -2);
  EXPECT_EQ(GoToInt64(-9223372036854775808.0), kMin);
  EXPECT_EQ(GoToInt64(9223372036854774784.0), 9223372036854774784);
  EXPECT_EQ(GoToInt64(9223372036854775808.0), kMin);
  EXPECT_EQ(GoToInt64(-1e19), kMin);
  EXPECT_EQ(GoToInt64(std::nan("")), kMin);
}

}  // namespace
}  // namespace vicinal
