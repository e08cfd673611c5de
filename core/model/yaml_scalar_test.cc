#include "core/model/yaml_scalar.h"

#include <gtest/gtest.h>

#include <string>

// The expected texts are what sigs.k8s.io/yaml v1.6.0 printed.

namespace vicinal {
namespace {

std::string Json(std::string_view text, std::string_view tag = "") {
  const absl::StatusOr<YamlScalar> scalar = ResolveYamlScalar(
      tag.empty() ? "" : "tag:yaml.org,2002:" + std::string(tag), text);
  if (!scalar.ok()) return "error: " + std::string(scalar.status().message());
  const absl::StatusOr<std::string> json = ToJson(*scalar);
  return json.ok() ? *json : "error: " + std::string(json.status().message());
}

std::string Key(std::string_view text) {
  const absl::StatusOr<std::string> key =
      ToJsonKey(*ResolveYamlScalar("", text));
  return key.ok() ? *key : "error: " + std::string(key.status().message());
}

TEST(YamlScalarTest, WordsForTrueFalseAndNull) {
  for (const char* word : {"y", "Y", "yes", "Yes", "YES", "true", "True",
                           "TRUE", "on", "On", "ON"}) {
    EXPECT_EQ(Json(word), "true") << word;
  }
  for (const char* word : {"n", "N", "no", "No", "NO", "false", "False",
                           "FALSE", "off", "Off", "OFF"}) {
    EXPECT_EQ(Json(word), "false") << word;
  }
  for (const char* word : {"", "~", "null", "Null", "NULL"}) {
    EXPECT_EQ(Json(word), "null") << word;
  }
}

TEST(YamlScalarTest, WordsInOtherSpellingsAreStrings) {
  for (const char* word : {"yEs", "tRue", "oN", "nuLL", "none", "yess", "inf",
                           "nan", ".Nan", "Infinity", "="}) {
    EXPECT_EQ(Json(word), "\"" + std::string(word) + "\"");
  }
}

TEST(YamlScalarTest, DecimalIntegers) {
  EXPECT_EQ(Json("0"), "0");
  EXPECT_EQ(Json("-1"), "-1");
  EXPECT_EQ(Json("+1"), "1");
  EXPECT_EQ(Json("1_000"), "1000");
  EXPECT_EQ(Json("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Json("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Json("18446744073709551615"), "18446744073709551615");
}

TEST(YamlScalarTest, IntegersInOtherBases) {
  EXPECT_EQ(Json("010"), "8");
  EXPECT_EQ(Json("-010"), "-8");
  EXPECT_EQ(Json("0o17"), "15");
  EXPECT_EQ(Json("0O17"), "15");
  EXPECT_EQ(Json("0x1F"), "31");
  EXPECT_EQ(Json("0X1f"), "31");
  EXPECT_EQ(Json("-0x1f"), "-31");
  EXPECT_EQ(Json("0b101"), "5");
  EXPECT_EQ(Json("0xFFFFFFFFFFFFFFFF"), "18446744073709551615");
}

TEST(YamlScalarTest, WhatLooksLikeOctalButIsNotIsAFloat) {
  EXPECT_EQ(Json("08"), "8");
  EXPECT_EQ(Json("08.5"), "8.5");
}

TEST(YamlScalarTest, BrokenIntegersAreStrings) {
  for (const char* text :
       {"0x", "0b", "0b2", "0o8", "0xg", "1f", "-", "+", "--", "_1",
        "-0xFFFFFFFFFFFFFFFF", "1:30", "500m", "1Gi", "1,000", "0x1p3"}) {
    EXPECT_EQ(Json(text), "\"" + std::string(text) + "\"");
  }
}

TEST(YamlScalarTest, Floats) {
  EXPECT_EQ(Json("1.10"), "1.1");
  EXPECT_EQ(Json("5.0"), "5");
  EXPECT_EQ(Json("1."), "1");
  EXPECT_EQ(Json(".5"), "0.5");
  EXPECT_EQ(Json("-.5"), "-0.5");
  EXPECT_EQ(Json("+1.5"), "1.5");
  EXPECT_EQ(Json("1e3"), "1000");
  EXPECT_EQ(Json("1E+3"), "1000");
  EXPECT_EQ(Json("12.5e-1"), "1.25");
  EXPECT_EQ(Json("1e20"), "100000000000000000000");
  EXPECT_EQ(Json("1e21"), "1e+21");
  EXPECT_EQ(Json("1e-6"), "0.000001");
  EXPECT_EQ(Json("123456789.123"), "123456789.123");
}

TEST(YamlScalarTest, BrokenFloatsAreStrings) {
  for (const char* text : {".", "1e", "1e+", ".e5", "1.5.1", "1e400", "._5"}) {
    EXPECT_EQ(Json(text), "\"" + std::string(text) + "\"");
  }
}

TEST(YamlScalarTest, InfinityAndNanAreNumbersThatJsonDoesNotHave) {
  for (const char* text : {".inf", "-.Inf", "+.INF", ".nan", ".NaN"}) {
    EXPECT_EQ(Json(text), "error: a number must be finite") << text;
  }
}

TEST(YamlScalarTest, DatesAreStrings) {
  EXPECT_EQ(Json("2026-01-01"), "\"2026-01-01\"");
  EXPECT_EQ(Json("2026-01-01T00:00:00Z"), "\"2026-01-01T00:00:00Z\"");
}

TEST(YamlScalarTest, StringsAreEscaped) {
  EXPECT_EQ(Json("a\"b\\c\nd"), R"("a\"b\\c\nd")");
}

TEST(YamlScalarTest, AStandardTagDecides) {
  EXPECT_EQ(Json("5", "str"), "\"5\"");
  EXPECT_EQ(Json("yes", "bool"), "true");
  EXPECT_EQ(Json("", "null"), "null");
  EXPECT_EQ(Json("0x10", "int"), "16");
  EXPECT_EQ(Json("5", "float"), "5");
  EXPECT_EQ(Json("2026-01-01", "timestamp"), "\"2026-01-01\"");
}

TEST(YamlScalarTest, TextThatIsNotOfTheTaggedTypeIsAnError) {
  EXPECT_EQ(Json("abc", "int"), "error: cannot read `abc` as a !!int");
  EXPECT_EQ(Json("5.5", "int"), "error: cannot read `5.5` as a !!int");
  EXPECT_EQ(Json("x", "float"), "error: cannot read `x` as a !!float");
  EXPECT_EQ(Json("5", "bool"), "error: cannot read `5` as a !!bool");
}

TEST(YamlScalarTest, OtherTagsMakeStrings) {
  const absl::StatusOr<YamlScalar> scalar = ResolveYamlScalar("!custom", "5");
  ASSERT_TRUE(scalar.ok());
  EXPECT_EQ(*ToJson(*scalar), "\"5\"");
}

TEST(YamlScalarTest, KeysAreWrittenAsText) {
  EXPECT_EQ(Key("app"), "app");
  EXPECT_EQ(Key("0x10"), "16");
  EXPECT_EQ(Key("-5"), "-5");
  EXPECT_EQ(Key("yes"), "true");
  EXPECT_EQ(Key("off"), "false");
}

TEST(YamlScalarTest, FloatKeysHaveThePrecisionOfFloat32) {
  EXPECT_EQ(Key("1.10"), "1.1");
  EXPECT_EQ(Key("0.0001"), "0.0001");
  EXPECT_EQ(Key("0.00001"), "1e-05");
  EXPECT_EQ(Key("123456.0"), "123456");
  EXPECT_EQ(Key("1234567.0"), "1.234567e+06");
  EXPECT_EQ(Key("16777217.0"), "1.6777216e+07");
  EXPECT_EQ(Key(".inf"), ".inf");
  EXPECT_EQ(Key("-1e39"), "-.inf");
  EXPECT_EQ(Key(".nan"), ".nan");
}

TEST(YamlScalarTest, NullAndHugeIntegersAreNoKeys) {
  EXPECT_EQ(Key("~"), "error: a key must not be null");
  EXPECT_EQ(Key("18446744073709551615"),
            "error: a key must not be a number this large");
}

}  // namespace
}  // namespace vicinal
