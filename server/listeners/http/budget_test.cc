#include "server/listeners/http/budget.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace vicinal {
namespace {

TEST(BudgetTest, WhatIsTakenComesBackWithTheShare) {
  Budget budget(10);
  std::optional<Budget::Share> six(budget.Take(6));
  EXPECT_TRUE(six->ok());
  EXPECT_FALSE(budget.Take(5).ok());
  EXPECT_TRUE(budget.Take(4).ok());
  six.reset();
  EXPECT_TRUE(budget.Take(10).ok());
}

TEST(BudgetTest, AShareThatWasMovedCountsOnce) {
  Budget budget(1);
  std::optional<Budget::Share> last(budget.Take(1));
  {
    const Budget::Share moved = std::move(*last);
    last.reset();
    EXPECT_FALSE(budget.Take(1).ok());
  }
  EXPECT_TRUE(budget.Take(1).ok());
}

TEST(BudgetTest, MoreThanAllIsRefusedWhateverTheSum) {
  Budget budget(10);
  const Budget::Share five = budget.Take(5);
  EXPECT_FALSE(budget.Take(11).ok());
  EXPECT_FALSE(budget.Take(SIZE_MAX).ok());
  EXPECT_FALSE(budget.Take(SIZE_MAX - 3).ok());
}

}  // namespace
}  // namespace vicinal
