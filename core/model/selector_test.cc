#include "core/model/selector.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace vicinal {
namespace {

using Op = Requirement::Operator;

Requirement Make(std::string key, Op op, std::vector<std::string> values = {}) {
  absl::StatusOr<Requirement> requirement =
      Requirement::Create(std::move(key), op, std::move(values));
  EXPECT_TRUE(requirement.ok()) << requirement.status();
  return *std::move(requirement);
}

std::string ErrorOf(std::string key, Op op, std::vector<std::string> values,
                    std::string_view path = "") {
  return std::string(
      Requirement::Create(std::move(key), op, std::move(values), path)
          .status()
          .message());
}

const Labels kWeb = {{"app", "web"}, {"empty", ""}};

TEST(RequirementTest, InMatchesOneOfTheValues) {
  EXPECT_TRUE(Make("app", Op::kIn, {"db", "web"}).Matches(kWeb));
  EXPECT_FALSE(Make("app", Op::kIn, {"db", "we", "webs", ""}).Matches(kWeb));
}

TEST(RequirementTest, InDoesNotMatchAnAbsentLabel) {
  EXPECT_FALSE(Make("tier", Op::kIn, {"web", ""}).Matches(kWeb));
}

TEST(RequirementTest, InMatchesTheEmptyValueOfAPresentLabel) {
  EXPECT_TRUE(Make("empty", Op::kIn, {""}).Matches(kWeb));
  EXPECT_FALSE(Make("empty", Op::kIn, {"x"}).Matches(kWeb));
}

TEST(RequirementTest, NotInMatchesOtherValues) {
  EXPECT_TRUE(Make("app", Op::kNotIn, {"db", ""}).Matches(kWeb));
  EXPECT_FALSE(Make("app", Op::kNotIn, {"db", "web"}).Matches(kWeb));
  EXPECT_FALSE(Make("empty", Op::kNotIn, {""}).Matches(kWeb));
}

TEST(RequirementTest, NotInMatchesAnAbsentLabel) {
  EXPECT_TRUE(Make("tier", Op::kNotIn, {"web", ""}).Matches(kWeb));
}

TEST(RequirementTest, ExistsMatchesAnyValueAlsoTheEmptyOne) {
  EXPECT_TRUE(Make("app", Op::kExists).Matches(kWeb));
  EXPECT_TRUE(Make("empty", Op::kExists).Matches(kWeb));
  EXPECT_FALSE(Make("tier", Op::kExists).Matches(kWeb));
}

TEST(RequirementTest, DoesNotExistMatchesOnlyAnAbsentLabel) {
  EXPECT_TRUE(Make("tier", Op::kDoesNotExist).Matches(kWeb));
  EXPECT_FALSE(Make("app", Op::kDoesNotExist).Matches(kWeb));
  EXPECT_FALSE(Make("empty", Op::kDoesNotExist).Matches(kWeb));
}

TEST(RequirementTest, GtAndLtCompareIntegersStrictly) {
  const auto matches = [](Op op, const char* bound, const char* value) {
    return Make("k", op, {bound}).Matches({{"k", value}});
  };
  EXPECT_TRUE(matches(Op::kGreaterThan, "4", "5"));
  EXPECT_FALSE(matches(Op::kGreaterThan, "4", "4"));
  EXPECT_FALSE(matches(Op::kGreaterThan, "4", "3"));
  EXPECT_TRUE(matches(Op::kLessThan, "4", "3"));
  EXPECT_FALSE(matches(Op::kLessThan, "4", "4"));
  EXPECT_FALSE(matches(Op::kLessThan, "4", "5"));
  EXPECT_TRUE(matches(Op::kGreaterThan, "9", "10"));  // Not as texts.
  EXPECT_TRUE(matches(Op::kLessThan, "4", "-5"));
  EXPECT_TRUE(
      matches(Op::kGreaterThan, "9223372036854775806", "9223372036854775807"));
}

TEST(RequirementTest, GtAndLtMatchNoAbsentLabel) {
  EXPECT_FALSE(Make("tier", Op::kGreaterThan, {"0"}).Matches(kWeb));
  EXPECT_FALSE(Make("tier", Op::kLessThan, {"9"}).Matches(kWeb));
}

TEST(RequirementTest, GtAndLtMatchOnlyWhatGoReadsAsAnInteger) {
  const Requirement greater = Make("k", Op::kGreaterThan, {"4"});
  const Requirement less = Make("k", Op::kLessThan, {"4"});
  EXPECT_TRUE(greater.Matches({{"k", "+5"}}));
  for (const char* value :
       {"", "x", "5.0", "0x5", " 5", "5 ", "9223372036854775808",
        "-9223372036854775809", "+-5", "-+5", "5_0", "-", "+"}) {
    EXPECT_FALSE(greater.Matches({{"k", value}})) << value;
    EXPECT_FALSE(less.Matches({{"k", value}})) << value;
  }
}

// The expected texts below are what k8s.io/apimachinery v0.37.1 printed.

TEST(RequirementTest, InAndNotInWantValues) {
  for (const Op op : {Op::kIn, Op::kNotIn}) {
    EXPECT_EQ(ErrorOf("app", op, {}),
              "values: Invalid value: null: for 'in', 'notin' operators, "
              "values set can't be empty");
  }
}

TEST(RequirementTest, ExistsAndDoesNotExistWantNoValues) {
  EXPECT_EQ(ErrorOf("app", Op::kExists, {"x"}),
            "values: Invalid value: [\"x\"]: values set must be empty for "
            "exists and does not exist");
  EXPECT_EQ(ErrorOf("app", Op::kDoesNotExist, {"x", "y"}),
            "values: Invalid value: [\"x\",\"y\"]: values set must be empty "
            "for exists and does not exist");
}

TEST(RequirementTest, GtAndLtWantExactlyOneInteger) {
  EXPECT_EQ(ErrorOf("app", Op::kGreaterThan, {"1", "2"}),
            "values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, "
            "exactly one value is required");
  EXPECT_EQ(ErrorOf("app", Op::kLessThan, {"x"}),
            "values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the "
            "value must be an integer");
  EXPECT_NE(ErrorOf("app", Op::kLessThan, {}), "");
}

TEST(RequirementTest, GtAndLtCannotHaveASignSinceNoLabelValueHasOne) {
  EXPECT_EQ(ErrorOf("app", Op::kLessThan, {"-1"}),
            "values[0][app]: Invalid value: \"-1\": a valid label must be an "
            "empty string or consist of alphanumeric characters, '-', '_' or "
            "'.', and must start and end with an alphanumeric character (e.g. "
            "'MyValue',  or 'my_value',  or '12345', regex used for "
            "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST(RequirementTest, AllErrorsAreReportedUnderThePath) {
  EXPECT_EQ(
      ErrorOf("-bad", Op::kIn, {"-v"}, "a[0]"),
      "[a[0].key: Invalid value: \"-bad\": name part must consist of "
      "alphanumeric characters, '-', '_' or '.', and must start and end with "
      "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
      "'123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), a[0].values[0][-bad]: "
      "Invalid value: \"-v\": a valid label must be an empty string or consist "
      "of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
      "'12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]");
}

TEST(SelectorTest, EverythingMatchesAllAndIsEmpty) {
  EXPECT_TRUE(Selector::Everything().Matches(kWeb));
  EXPECT_TRUE(Selector::Everything().Matches({}));
  EXPECT_TRUE(Selector::Everything().Empty());
  EXPECT_FALSE(Selector::Everything().IsNothing());
}

TEST(SelectorTest, NothingMatchesNoneAndIsNotEmpty) {
  EXPECT_FALSE(Selector::Nothing().Matches(kWeb));
  EXPECT_FALSE(Selector::Nothing().Matches({}));
  EXPECT_FALSE(Selector::Nothing().Empty());
  EXPECT_TRUE(Selector::Nothing().IsNothing());
}

TEST(SelectorTest, AllRequirementsMustMatch) {
  const Selector selector({Make("app", Op::kExists), Make("x", Op::kExists)});
  EXPECT_FALSE(selector.Matches(kWeb));
  EXPECT_FALSE(selector.Matches({{"x", "1"}}));
  EXPECT_TRUE(selector.Matches({{"app", "web"}, {"x", "1"}}));
  EXPECT_FALSE(selector.Empty());
}

TEST(SelectorTest, FromSetWantsEveryLabelWithItsValue) {
  const Selector selector = Selector::FromSet({{"app", "web"}, {"x", ""}});
  EXPECT_TRUE(selector.Matches({{"app", "web"}, {"x", ""}, {"y", "1"}}));
  EXPECT_FALSE(selector.Matches({{"app", "web"}}));
  EXPECT_FALSE(selector.Matches({{"app", "web"}, {"x", "1"}}));
  EXPECT_TRUE(Selector::FromSet({}).Empty());
}

TEST(SelectorTest, FromSetDoesNotValidate) {
  EXPECT_TRUE(
      Selector::FromSet({{"app", "not ok"}}).Matches({{"app", "not ok"}}));
}

TEST(SelectorTest, AddNarrowsASelector) {
  Selector selector = Selector::Everything();
  selector.Add({Make("app", Op::kIn, {"web"})});
  EXPECT_TRUE(selector.Matches(kWeb));
  EXPECT_FALSE(selector.Matches({}));
  selector.Add({Make("x", Op::kExists)});
  EXPECT_FALSE(selector.Matches(kWeb));
}

TEST(SelectorTest, NothingStaysNothingWhateverIsAdded) {
  Selector selector = Selector::Nothing();
  selector.Add({Make("app", Op::kExists)});
  EXPECT_TRUE(selector.IsNothing());
  EXPECT_FALSE(selector.Matches(kWeb));
}

}  // namespace
}  // namespace vicinal
