#include "core/plugins/podtopologyspread/natural_log.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

namespace vicinal {
namespace {

// Printed by Go 1.26 on amd64: math.Float64bits(math.Log(x)).
TEST(NaturalLogTest, HasTheBitsOfGo) {
  const struct {
    double x;
    std::uint64_t bits;
  } kCases[] = {
      {1, 0x0000000000000000},     {2, 0x3fe62e42fefa39ef},
      {3, 0x3ff193ea7aad030a},     {5, 0x3ff9c041f7ed8d33},
      {14, 0x40051cca16d7bba8},    {102, 0x40127ff8df87c7bd},
      {4999, 0x402108b35436f406},  {5002, 0x40210901f6dc84b9},
      {15002, 0x40233b5c54bb9573}, {65537, 0x40262e44fef939f0},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(NaturalLog(c.x)), c.bits) << c.x;
  }
}

}  // namespace
}  // namespace vicinal
