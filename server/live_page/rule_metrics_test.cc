#include "server/live_page/rule_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vicinal {
namespace {

using ::testing::HasSubstr;

std::int64_t LinesOf(const std::string& text) {
  return std::ranges::count(text, '\n');
}

TEST(RuleMetricsTest, EachGroupHasItsSeries) {
  RuleReport report;
  report.spread_groups = {{"shop", "zone", 3, 2}};
  report.spread_group_count = 1;
  report.broken_groups = {{"other", StrategyKind::kNodeAffinity, 7}};
  report.broken_group_count = 1;
  const std::string text = RenderRuleMetrics(report);
  for (const char* line :
       {"vicinal_spread_skew{namespace=\"shop\",topology_key=\"zone\"} 3\n",
        "vicinal_spread_excess_pods{namespace=\"shop\",topology_key=\"zone\"} "
        "2\n",
        "vicinal_broken_rule_pods{namespace=\"other\",strategy="
        "\"RemovePodsViolatingNodeAffinity\"} 7\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(RuleMetricsTest, NoLabelIsMoreThanAText) {
  RuleReport report;
  report.spread_groups = {{"shop", "a\"}\nb\\", 1, 0}};
  report.spread_group_count = 1;
  EXPECT_THAT(RenderRuleMetrics(report),
              HasSubstr("topology_key=\"a\\\"}\\nb\\\\\"} 1\n"));
}

TEST(RuleMetricsTest, WhatIsLeftOutIsInOneMore) {
  RuleReport report;
  report.spread_groups = {{"shop", "zone", 3, 2}, {"", "", 2, 1}};
  report.spread_group_count = 1'000'000;
  const std::string text = RenderRuleMetrics(report);
  EXPECT_THAT(text, HasSubstr("skew{namespace=\"\",topology_key=\"\"} 2\n"));
  // Of three names a help and a type each, and their series.
  EXPECT_EQ(LinesOf(text), 3 * 2 + 2 + 2 + 1);
}

}  // namespace
}  // namespace vicinal
