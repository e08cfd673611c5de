#include "core/index/owner_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace vicinal {
namespace {

using testing::ElementsAre;
using Things = OwnerSet<const int*>;

std::vector<const int*> InOrder(const Things& set) {
  return std::vector<const int*>(set.begin(), set.end());
}

TEST(OwnerSetTest, IsWalkedInTheOrderOfInsertion) {
  const int things[3] = {};
  Things set;
  EXPECT_TRUE(set.empty());
  for (const int& thing : things) set.Insert(&thing);
  set.Insert(&things[1]);
  EXPECT_THAT(InOrder(set), ElementsAre(&things[0], &things[1], &things[2]));
  set.Erase(&things[0]);
  set.Erase(&things[0]);
  EXPECT_THAT(InOrder(set), ElementsAre(&things[2], &things[1]));
  set.Erase(&things[1]);
  set.Erase(&things[2]);
  EXPECT_TRUE(set.empty());
}

TEST(OwnerSetTest, HoldsManyUntilTheyGo) {
  const std::vector<int> things(1000);
  Things set;
  for (int round = 0; round < 2; ++round) {
    for (const int& thing : things) set.Insert(&thing);
  }
  std::vector<const int*> expected;
  for (const int& thing : things) expected.push_back(&thing);
  EXPECT_EQ(InOrder(set), expected);
  // The first and the last in turn.
  while (!expected.empty()) {
    const auto gone =
        expected.size() % 2 == 0 ? expected.begin() : expected.end() - 1;
    set.Erase(*gone);
    set.Erase(*gone);
    expected.erase(gone);
    ASSERT_EQ(std::set(set.begin(), set.end()),
              std::set(expected.begin(), expected.end()));
  }
  EXPECT_TRUE(set.empty());
}

}  // namespace
}  // namespace vicinal
