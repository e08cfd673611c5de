#include "core/model/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> Documents(std::string_view yaml) {
  absl::StatusOr<std::vector<std::string>> documents = YamlToJson(yaml);
  EXPECT_TRUE(documents.ok()) << documents.status() << " in " << yaml;
  return documents.ok() ? *std::move(documents) : std::vector<std::string>();
}

std::string Json(std::string_view yaml) {
  const std::vector<std::string> documents = Documents(yaml);
  EXPECT_EQ(documents.size(), 1u) << yaml;
  return documents.empty() ? "" : documents.front();
}

std::string ErrorOf(std::string_view yaml) {
  const absl::Status status = YamlToJson(yaml).status();
  EXPECT_TRUE(status.ok() ||
              status.code() == absl::StatusCode::kInvalidArgument)
      << status;
  return std::string(status.message());
}

TEST(YamlToJsonTest, MappingsAndListsInBlockAndFlowStyle) {
  EXPECT_EQ(Json("a:\n- b\n- c: 1\n  d: [x, {e: f}]\ng: {}\nh: []\n"),
            R"({"a":["b",{"c":1,"d":["x",{"e":"f"}]}],"g":{},"h":[]})");
}

TEST(YamlToJsonTest, FieldsKeepTheirOrder) {
  EXPECT_EQ(Json("b: 1\na: 2\nc: 3\n"), R"({"b":1,"a":2,"c":3})");
}

TEST(YamlToJsonTest, JsonIsYaml) {
  EXPECT_EQ(Json(R"({"a": 1, "b": ["x", null, true], "c": {"d": "\u00e9\n"}})"),
            "{\"a\":1,\"b\":[\"x\",null,true],\"c\":{\"d\":\"é\\n\"}}");
}

TEST(YamlToJsonTest, PlainScalarsHaveTypes) {
  EXPECT_EQ(Json("[1, 0x10, 1.5, yes, no, ~, abc, 2026-01-01]"),
            R"([1,16,1.5,true,false,null,"abc","2026-01-01"])");
}

TEST(YamlToJsonTest, QuotedScalarsAreStrings) {
  EXPECT_EQ(Json(R"(["1", '0x10', "yes", 'null', "", '', "<<"])"),
            R"(["1","0x10","yes","null","","","<<"])");
}

TEST(YamlToJsonTest, BlockScalarsAreStrings) {
  EXPECT_EQ(Json("a: |\n  1\n  2\nb: >-\n  x\n  y\nc: |+\n  z\n\n"),
            R"({"a":"1\n2\n","b":"x y","c":"z\n\n"})");
}

TEST(YamlToJsonTest, TagsDecideTheType) {
  EXPECT_EQ(Json("[!!str 5, !!int \"5\", !custom 5, ! 5]"),
            R"(["5",5,"5","5"])");
}

TEST(YamlToJsonTest, AbsentValuesAreNull) {
  EXPECT_EQ(Json("a:\nb:\n- \n- x\n"), R"({"a":null,"b":[null,"x"]})");
}

TEST(YamlToJsonTest, KeysBecomeStrings) {
  EXPECT_EQ(Json("1: a\nyes: b\n1.5: c\n\"5\": d\n"),
            R"({"1":"a","true":"b","1.5":"c","5":"d"})");
}

TEST(YamlToJsonTest, CommentsAndWindowsLineEndsAreNothing) {
  EXPECT_EQ(Json("# x\r\na: b # y\r\nc: d#e\r\n"), R"({"a":"b","c":"d#e"})");
}

TEST(YamlToJsonTest, AByteOrderMarkIsNothing) {
  EXPECT_EQ(Json("\xEF\xBB\xBF"
                 "a: 1\n"),
            R"({"a":1})");
}

TEST(YamlToJsonTest, AStreamHasSeveralDocuments) {
  EXPECT_THAT(
      Documents("a: 1\n---\nb: 2\n--- [c]\n...\n---\nd: 4\n"),
      ElementsAre(R"({"a":1})", R"({"b":2})", R"(["c"])", R"({"d":4})"));
}

TEST(YamlToJsonTest, EmptyDocumentsAreSkipped) {
  EXPECT_THAT(Documents(""), IsEmpty());
  EXPECT_THAT(Documents("\n"), IsEmpty());
  EXPECT_THAT(Documents("# nothing\n"), IsEmpty());
  EXPECT_THAT(Documents("---\n---\n# x\n---\na: 1\n---\n"),
              ElementsAre(R"({"a":1})"));
}

TEST(YamlToJsonTest, TextBehindADocumentIsNotTakenForAnother) {
  EXPECT_THAT(ErrorOf("{\"a\": 1}\n{\"b\": 2}\n"),
              StartsWith("line 2, column 1: text after the end of a document"));
  EXPECT_NE(ErrorOf("- a\nb: c\n"), "");
  // For yaml-cpp the comma is one document after the other, without end.
  EXPECT_THAT(ErrorOf("a: 1\n--- [] !x , b\n"),
              StartsWith("line 2, column 8: text after the end of a document"));
}

TEST(YamlToJsonTest, DuplicateKeysAreRefusedWithBothLines) {
  EXPECT_EQ(ErrorOf("a: 1\nb:\n  c: 1\n  \"c\": 2\n"),
            "line 4, column 3: duplicate key \"c\", first on line 3");
  EXPECT_EQ(ErrorOf("{a: 1, b: 2, a: 3}"),
            "line 1, column 14: duplicate key \"a\", first on line 1");
}

TEST(YamlToJsonTest, KeysThatBecomeTheSameStringAreDuplicates) {
  EXPECT_EQ(ErrorOf("1: a\n\"1\": b\n"),
            "line 2, column 1: duplicate key \"1\", first on line 1");
  EXPECT_EQ(ErrorOf("yes: a\ntrue: b\n"),
            "line 2, column 1: duplicate key \"true\", first on line 1");
}

TEST(YamlToJsonTest, TheSameKeyInDifferentMappingsIsNoDuplicate) {
  EXPECT_EQ(Json("- a: 1\n- a: 2\n  b: {a: 3}\n"),
            R"([{"a":1},{"a":2,"b":{"a":3}}])");
}

TEST(YamlToJsonTest, ListsMappingsAndNullAreNoKeys) {
  EXPECT_EQ(ErrorOf("? [a]\n: b\n"),
            "line 1, column 3: a key must be a scalar");
  EXPECT_EQ(ErrorOf("a: {? {b: c} : d}\n"),
            "line 1, column 7: a key must be a scalar");
  EXPECT_EQ(ErrorOf("a: 1\n~: 2\n"),
            "line 2, column 1: a key must not be null");
}

TEST(YamlToJsonTest, ValuesThatJsonDoesNotHaveAreNamedWithTheirPlace) {
  EXPECT_EQ(ErrorOf("a: 1\nb: .inf\n"),
            "line 2, column 4: a number must be finite");
  EXPECT_EQ(ErrorOf("a: !!int x\n"),
            "line 1, column 4: cannot read `x` as a !!int");
}

TEST(YamlToJsonTest, BrokenYamlIsNamedWithItsPlace) {
  EXPECT_THAT(ErrorOf("a: 1\nb: c: d\n"), StartsWith("line 2, column "));
  EXPECT_THAT(ErrorOf("a: 1\nb: @x\n"), StartsWith("line 2, column "));
  EXPECT_THAT(ErrorOf("a:\n\t- b\n"), StartsWith("line 2, column "));
  EXPECT_THAT(ErrorOf("a:\n  b: 1\n c: 2\n"), StartsWith("line 3, column "));
  for (const char* yaml :
       {"a: [1, 2\n", "a: {b: 1\n", "a: ]\n", "a: 'b", "a: \"\\q\"\n",
        "a: *x\n", "%YAML 1.1\n%YAML 1.1\n"}) {
    EXPECT_THAT(ErrorOf(yaml), StartsWith("line ")) << yaml;
  }
}

TEST(YamlToJsonTest, AQuotedStringThatIsNotClosedIsRefused) {
  for (const char* yaml : {"a: \"b\n", "a: 'b\n\n  c\n", "a: \"b", "a: \"b "}) {
    EXPECT_NE(ErrorOf(yaml), "") << yaml;
  }
  EXPECT_EQ(ErrorOf("a: \"b\n"),
            "line 2, column 1: the document ends in a quoted string");
}

TEST(YamlToJsonTest, ControlCharactersAreRefusedWhereTheyStand) {
  EXPECT_EQ(ErrorOf("a: 1\nb: \x04\nc: 3\n"),
            "line 2, column 4: control characters are not allowed");
  EXPECT_EQ(ErrorOf(std::string_view("a: b\0c\n", 7)),
            "line 1, column 5: control characters are not allowed");
  EXPECT_NE(ErrorOf("a: \x7f\n"), "");
}

TEST(YamlToJsonTest, TextThatIsNotUtf8IsRefused) {
  EXPECT_EQ(ErrorOf("a: \xff\xfe\n"), "the text is not valid UTF-8");
}

TEST(YamlToJsonTest, AliasesStandForWhatIsAnchored) {
  EXPECT_EQ(Json("a: &x {b: [1, \"q\"]}\nc: *x\nd: [*x]\ne: &y 5\nf: *y\n"),
            R"({"a":{"b":[1,"q"]},"c":{"b":[1,"q"]},"d":[{"b":[1,"q"]}],)"
            R"("e":5,"f":5})");
}

TEST(YamlToJsonTest, AnAnchorThatIsSetAgainStandsForTheLastValue) {
  EXPECT_EQ(Json("- &x 1\n- *x\n- &x 2\n- *x\n"), "[1,1,2,2]");
}

TEST(YamlToJsonTest, KeysMayBeAnchoredAndAliased) {
  EXPECT_EQ(Json("&k a: 1\nb: *k\nc: {*k : 2}\n"),
            R"({"a":1,"b":"a","c":{"a":2}})");
  EXPECT_EQ(Json("a: &k \"q\\\"\"\n*k : 2\n"), R"({"a":"q\"","q\"":2})");
  EXPECT_EQ(Json("a: &k 5\n*k : 2\n"), R"({"a":5,"5":2})");
  EXPECT_NE(ErrorOf("a: &k [1]\n*k : 2\n"), "");
  EXPECT_NE(ErrorOf("a: &k ~\n*k : 2\n"), "");
}

TEST(YamlToJsonTest, AnchorsEndWithTheirDocument) {
  EXPECT_NE(ErrorOf("a: &x 1\n---\nb: *x\n"), "");
}

TEST(YamlToJsonTest, AnAnchorMustNotContainItself) {
  EXPECT_EQ(ErrorOf("a: &x [1, *x]\n"),
            "line 1, column 11: an anchor contains itself");
}

TEST(YamlToJsonTest, MergedFieldsAreThereUnlessTheMappingHasItsOwn) {
  EXPECT_EQ(Json("a: &x {b: 1, c: {z: 2}}\nd:\n  <<: *x\n  b: 3\n"),
            R"({"a":{"b":1,"c":{"z":2}},"d":{"b":3,"c":{"z":2}}})");
  EXPECT_EQ(Json("b: 3\n<<: {b: 1, c: 2}\n"), R"({"b":3,"c":2})");
}

TEST(YamlToJsonTest, OfSeveralMergedMappingsTheFirstWins) {
  EXPECT_EQ(Json("<<: [{a: 1}, {a: 2, b: [x]}]\nc: \"3\"\n"),
            R"({"c":"3","a":1,"b":["x"]})");
}

TEST(YamlToJsonTest, MergedMappingsMayBeMergedAgain) {
  EXPECT_EQ(Json("a: &x {q: 1}\nb: &y {<<: *x, r: 2}\nc: {<<: *y, s: 3}\n"),
            R"({"a":{"q":1},"b":{"r":2,"q":1},"c":{"s":3,"r":2,"q":1}})");
}

TEST(YamlToJsonTest, OnlyMappingsCanBeMerged) {
  constexpr char kError[] = "a merge key wants a mapping or a list of mappings";
  EXPECT_THAT(ErrorOf("<<: 5\n"), HasSubstr(kError));
  EXPECT_THAT(ErrorOf("<<: [1]\n"), HasSubstr(kError));
  EXPECT_THAT(ErrorOf("a: &x [[1]]\nb: {<<: *x}\n"), HasSubstr(kError));
}

TEST(YamlToJsonTest, AliasesThatMultiplyAreRefused) {
  std::string yaml = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 8; ++j) yaml += ", " + last;
    yaml += "]\n";
  }
  EXPECT_THAT(ErrorOf(yaml),
              HasSubstr("anchors and aliases stand for more than 64 MiB"));
}

TEST(YamlToJsonTest, NestingHasABound) {
  const auto nested = [](int levels) {
    std::string yaml;
    for (int i = 0; i < levels; ++i) yaml += "- ";
    return yaml + "x\n";
  };
  EXPECT_EQ(Json(nested(256)),
            std::string(256, '[') + "\"x\"" + std::string(256, ']'));
  EXPECT_EQ(ErrorOf(nested(257)), "line 1, column 513: more than 256 levels");
  EXPECT_NE(ErrorOf(nested(100000)), "");
  EXPECT_NE(ErrorOf(std::string(100000, '[')), "");
  EXPECT_NE(ErrorOf(std::string(100000, '{')), "");
}

TEST(YamlToJsonTest, AliasesDoNotNestDeeperThanTheBound) {
  const auto within = [](int levels, const std::string& inner) {
    return std::string(static_cast<std::size_t>(levels), '[') + inner +
           std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_NE(
      Json("a: &a " + within(100, "x") + "\nb: " + within(155, "*a") + "\n"),
      "");
  EXPECT_THAT(
      ErrorOf("a: &a " + within(100, "x") + "\nb: " + within(156, "*a") + "\n"),
      HasSubstr("more than 256 levels"));
}

TEST(YamlToJsonTest, TextCutAnywhereNeverCrashes) {
  constexpr std::string_view kWhole =
      "a: &x {b: [1, \"q\\u00e9\"], c: 'd'}\n---\n"
      "e: |\n  text\n  more\n? f\n: !!str 5\n<<: *x\n...\n# end\n";
  for (std::size_t size = 0; size < kWhole.size(); ++size) {
    ErrorOf(kWhole.substr(0, size));
  }
}

}  // namespace
}  // namespace vicinal
