#include "core/model/label_selector.h"

#include <gtest/gtest.h>

#include <string>

// The expected error texts are what metav1.LabelSelectorAsSelector of
// k8s.io/apimachinery v0.37.1 returned.

namespace vicinal {
namespace {

const Labels kWeb = {{"app", "web"}, {"tier", "front"}};

bool Matches(const LabelSelector& written, const Labels& labels) {
  const absl::StatusOr<Selector> selector = AsSelector(written);
  EXPECT_TRUE(selector.ok()) << selector.status();
  return selector.ok() && selector->Matches(labels);
}

std::string ErrorOf(const LabelSelector& written) {
  return std::string(AsSelector(written).status().message());
}

TEST(LabelSelectorTest, AnAbsentSelectorMatchesNothing) {
  const absl::StatusOr<Selector> selector = AsSelector(std::nullopt);
  ASSERT_TRUE(selector.ok());
  EXPECT_TRUE(selector->IsNothing());
}

TEST(LabelSelectorTest, AnEmptySelectorMatchesEverything) {
  const absl::StatusOr<Selector> selector = AsSelector(LabelSelector());
  ASSERT_TRUE(selector.ok());
  EXPECT_TRUE(selector->Empty());
  EXPECT_TRUE(selector->Matches(kWeb));
  EXPECT_TRUE(selector->Matches({}));
}

TEST(LabelSelectorTest, MatchLabelsMustAllBeThere) {
  EXPECT_TRUE(Matches({{{"app", "web"}, {"tier", "front"}}, {}}, kWeb));
  EXPECT_FALSE(Matches({{{"app", "web"}, {"tier", "back"}}, {}}, kWeb));
  EXPECT_FALSE(Matches({{{"app", "web"}, {"zone", ""}}, {}}, kWeb));
}

TEST(LabelSelectorTest, EveryOperatorMeansWhatItSays) {
  EXPECT_TRUE(Matches({{}, {{"app", "In", {"db", "web"}}}}, kWeb));
  EXPECT_FALSE(Matches({{}, {{"app", "In", {"db"}}}}, kWeb));
  EXPECT_TRUE(Matches({{}, {{"app", "NotIn", {"db"}}}}, kWeb));
  EXPECT_FALSE(Matches({{}, {{"app", "NotIn", {"web"}}}}, kWeb));
  EXPECT_TRUE(Matches({{}, {{"app", "Exists", {}}}}, kWeb));
  EXPECT_FALSE(Matches({{}, {{"zone", "Exists", {}}}}, kWeb));
  EXPECT_TRUE(Matches({{}, {{"zone", "DoesNotExist", {}}}}, kWeb));
  EXPECT_FALSE(Matches({{}, {{"app", "DoesNotExist", {}}}}, kWeb));
}

TEST(LabelSelectorTest, LabelsAndExpressionsMustBothMatch) {
  const LabelSelector selector = {{{"app", "web"}},
                                  {{"tier", "NotIn", {"front"}}}};
  EXPECT_FALSE(Matches(selector, kWeb));
  EXPECT_TRUE(Matches(selector, {{"app", "web"}}));
  EXPECT_FALSE(Matches(selector, {{"app", "db"}}));
}

TEST(LabelSelectorTest, OperatorsOfNodeSelectorsAndOtherTextsDoNotParse) {
  for (const std::string op : {"Gt", "Lt", "", "in", "Equals"}) {
    EXPECT_EQ(ErrorOf({{}, {{"app", op, {"1"}}}}),
              "\"" + op + "\" is not a valid label selector operator");
  }
}

TEST(LabelSelectorTest, ABadValueOfMatchLabelsIsNamedWithItsKey) {
  EXPECT_EQ(ErrorOf({{{"app", "not ok"}}, {}}),
            "values[0][app]: Invalid value: \"not ok\": a valid label must be "
            "an empty string or consist of alphanumeric characters, '-', '_' "
            "or '.', and must start and end with an alphanumeric character "
            "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
            "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST(LabelSelectorTest, ABadKeyIsNamed) {
  EXPECT_EQ(ErrorOf({{}, {{"/a", "Exists", {}}}}),
            "key: Invalid value: \"/a\": prefix part must be non-empty");
}

TEST(LabelSelectorTest, InWithoutValuesIsAnErrorAndNotASelectorOfNothing) {
  EXPECT_EQ(ErrorOf({{}, {{"app", "In", {}}}}),
            "values: Invalid value: null: for 'in', 'notin' operators, values "
            "set can't be empty");
}

TEST(LabelSelectorTest, TheFirstBadRequirementIsTheError) {
  EXPECT_EQ(ErrorOf({{}, {{"app", "In", {}}, {"app", "Gt", {"1"}}}}),
            "values: Invalid value: null: for 'in', 'notin' operators, values "
            "set can't be empty");
}

}  // namespace
}  // namespace vicinal
