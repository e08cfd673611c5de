#include "core/model/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vicinal {
namespace {

TEST(NaturalOrderTest, NumbersCompareByValue) {
  std::vector<std::string> names = {"w10", "w2",  "w1",   "w",    "a9-z10",
                                    "x",   "w02", "w2-b", "w2-a", "a9-z9"};
  std::ranges::sort(names, NaturalLess);
  EXPECT_EQ(names,
            (std::vector<std::string>{"a9-z9", "a9-z10", "w", "w1", "w02", "w2",
                                      "w2-a", "w2-b", "w10", "x"}));
}

TEST(NaturalOrderTest, IsAStrictOrder) {
  const std::vector<std::string> names = {"",   "0",   "00", "1", "01",
                                          "a1", "a01", "1a", "a", "10"};
  for (const std::string& a : names) {
    EXPECT_FALSE(NaturalLess(a, a));
    for (const std::string& b : names) {
      if (a == b) continue;
      EXPECT_NE(NaturalLess(a, b), NaturalLess(b, a)) << a << " " << b;
    }
  }
}

TEST(NaturalOrderTest, LongNumbersDoNotOverflow) {
  EXPECT_TRUE(NaturalLess("n99999999999999999999", "n100000000000000000000"));
}

}  // namespace
}  // namespace vicinal
