#include "core/model/taint.h"

#include <vector>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

const Taint kTaint = {"key", "value", kNoSchedule};

TEST(TolerationTest, KeyValueAndEffectMustBeEqual) {
  EXPECT_TRUE((Toleration{"key", "Equal", "value", kNoSchedule})
                  .Tolerates(kTaint, false));
  EXPECT_TRUE(
      (Toleration{"key", "", "value", kNoSchedule}).Tolerates(kTaint, false));
  EXPECT_FALSE((Toleration{"kei", "Equal", "value", kNoSchedule})
                   .Tolerates(kTaint, false));
  EXPECT_FALSE((Toleration{"key", "Equal", "other", kNoSchedule})
                   .Tolerates(kTaint, false));
  EXPECT_FALSE(
      (Toleration{"key", "", "", kNoSchedule}).Tolerates(kTaint, false));
  EXPECT_FALSE((Toleration{"key", "Equal", "value", kNoExecute})
                   .Tolerates(kTaint, false));
}

TEST(TolerationTest, ExistsIgnoresTheValue) {
  EXPECT_TRUE(
      (Toleration{"key", "Exists", "", kNoSchedule}).Tolerates(kTaint, false));
  EXPECT_TRUE((Toleration{"key", "Exists", "other", kNoSchedule})
                  .Tolerates(kTaint, false));
  EXPECT_FALSE(
      (Toleration{"kei", "Exists", "", kNoSchedule}).Tolerates(kTaint, false));
}

TEST(TolerationTest, EmptyKeyAndEmptyEffectStandForAll) {
  EXPECT_TRUE((Toleration{"", "Exists", "", ""}).Tolerates(kTaint, false));
  EXPECT_TRUE((Toleration{"key", "Exists", "", ""}).Tolerates(kTaint, false));
  EXPECT_TRUE((Toleration{"", "Equal", "value", ""}).Tolerates(kTaint, false));
  EXPECT_FALSE((Toleration{"", "Equal", "", ""}).Tolerates(kTaint, false));
}

TEST(TolerationTest, ComparesWholeNumbersIfTheReleaseDoes) {
  const auto tolerates = [](const char* op, const char* bound,
                            const char* value) {
    return Toleration{"key", op, bound, ""}.Tolerates(
        {"key", value, kNoSchedule}, true);
  };
  EXPECT_TRUE(tolerates("Lt", "10", "9"));
  EXPECT_FALSE(tolerates("Lt", "10", "10"));
  EXPECT_TRUE(tolerates("Gt", "-10", "-9"));
  EXPECT_FALSE(tolerates("Gt", "-10", "-10"));
  EXPECT_TRUE(tolerates("Gt", "0", "9223372036854775807"));
  for (const char* no_number : {"", "-", "+1", "01", "-0", "-01", "1.0", "1 ",
                                " 1", "0x1", "one", "9223372036854775808"}) {
    EXPECT_FALSE(tolerates("Lt", no_number, "-5")) << no_number;
    EXPECT_FALSE(tolerates("Gt", "-5", no_number)) << no_number;
  }
}

TEST(TolerationTest, OtherOperatorsTolerateNothing) {
  const Taint number = {"key", "5", kNoSchedule};
  for (const char* op : {"Lt", "Gt", "exists", "In"}) {
    EXPECT_FALSE(
        (Toleration{"key", op, "5", kNoSchedule}).Tolerates(number, false))
        << op;
    EXPECT_FALSE((Toleration{"key", op, "4", ""}).Tolerates(number, false))
        << op;
    EXPECT_FALSE((Toleration{"key", op, "6", ""}).Tolerates(number, false))
        << op;
  }
}

TEST(TolerateTest, OneTolerationIsEnough) {
  EXPECT_FALSE(Tolerate({}, kTaint, false));
  EXPECT_FALSE(Tolerate({{"a", "Exists", "", ""}}, kTaint, false));
  EXPECT_TRUE(Tolerate({{"a", "Exists", "", ""}, {"key", "Exists", "", ""}},
                       kTaint, false));
}

TEST(FindUntoleratedDoNotScheduleTaintTest, FindsTheFirstThatIsNotTolerated) {
  const std::vector<Taint> taints = {{"soft", "", kPreferNoSchedule},
                                     {"a", "", kNoSchedule},
                                     {"b", "", kNoExecute},
                                     {"c", "", "Unknown"}};
  EXPECT_EQ(FindUntoleratedDoNotScheduleTaint(taints, {}, false), &taints[1]);
  EXPECT_EQ(FindUntoleratedDoNotScheduleTaint(
                taints, {{"a", "Exists", "", kNoSchedule}}, false),
            &taints[2]);
  EXPECT_EQ(
      FindUntoleratedDoNotScheduleTaint(
          taints, {{"a", "Exists", "", ""}, {"b", "Exists", "", ""}}, false),
      nullptr);
  EXPECT_EQ(FindUntoleratedDoNotScheduleTaint({}, {}, false), nullptr);
}

}  // namespace
}  // namespace vicinal
