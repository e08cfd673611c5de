#include "core/model/field_error.h"

#include <gtest/gtest.h>

// The expected texts are what k8s.io/apimachinery v0.37.1 printed.

namespace vicinal {
namespace {

TEST(FieldErrorTest, QuotedEscapesAsGoDoes) {
  EXPECT_EQ(Quoted("web db"), R"("web db")");
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quoted("a\nb\tc\rd"), R"("a\nb\tc\rd")");
  EXPECT_EQ(Quoted("\a\b\f\v"), R"("\a\b\f\v")");
  EXPECT_EQ(Quoted("\x01\x1f\x7f"), R"("\x01\x1f\x7f")");
  EXPECT_EQ(Quoted("é😀"), R"("é😀")");
}

TEST(FieldErrorTest, QuotedListIsJsonWithGosEscapesOfMarkup) {
  EXPECT_EQ(QuotedList({"x"}), R"(["x"])");
  EXPECT_EQ(QuotedList({"x", "", "y"}), R"(["x","","y"])");
  EXPECT_EQ(QuotedList({"a\"b<>&"}), R"(["a\"b\u003c\u003e\u0026"])");
  EXPECT_EQ(QuotedList({"\x01"}), R"(["\u0001"])");
}

TEST(FieldErrorTest, AQuotedListWithoutElementsIsNull) {
  EXPECT_EQ(QuotedList({}), "null");
}

TEST(FieldErrorTest, InvalidValueNamesPathValueAndDetail) {
  EXPECT_EQ(InvalidValue("p[0]", Quoted("bad"), "why"),
            R"(p[0]: Invalid value: "bad": why)");
}

TEST(FieldErrorTest, UnsupportedValueListsTheSupportedOnes) {
  EXPECT_EQ(UnsupportedValue("p", "x", {"a", "b"}),
            R"(p: Unsupported value: "x": supported values: "a", "b")");
}

TEST(FieldErrorTest, OneErrorStandsAlone) {
  EXPECT_EQ(AggregateError({"a"}), "a");
}

TEST(FieldErrorTest, SeveralErrorsStandInBrackets) {
  EXPECT_EQ(AggregateError({"b", "a"}), "[b, a]");
}

TEST(FieldErrorTest, RepeatedErrorsStandOnce) {
  EXPECT_EQ(AggregateError({"a", "b", "a"}), "[a, b]");
  EXPECT_EQ(AggregateError({"a", "a"}), "a");
}

}  // namespace
}  // namespace vicinal
