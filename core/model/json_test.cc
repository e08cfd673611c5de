#include "core/model/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace vicinal {

// A type with a field of every kind.
struct Sample {
  std::string text = "unset";
  bool flag = false;
  std::int32_t small = 7;
  std::int64_t large = 7;
  Labels labels;
  std::vector<std::string> list;
  std::optional<std::string> maybe;
  std::vector<Sample> children;
};

absl::Status Decode(JsonValue value, const JsonPath& path, Sample* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "text") return Decode(field, where, &out->text);
        if (key == "flag") return Decode(field, where, &out->flag);
        if (key == "small") return Decode(field, where, &out->small);
        if (key == "large") return Decode(field, where, &out->large);
        if (key == "labels") return Decode(field, where, &out->labels);
        if (key == "list") return Decode(field, where, &out->list);
        if (key == "maybe") return Decode(field, where, &out->maybe);
        if (key == "children") return Decode(field, where, &out->children);
        return absl::OkStatus();
      });
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

Sample Parse(std::string_view json) {
  JsonReader reader;
  absl::StatusOr<Sample> sample = reader.ReadCopy<Sample>(json);
  EXPECT_TRUE(sample.ok()) << sample.status() << " in " << json;
  return sample.ok() ? *std::move(sample) : Sample();
}

std::string ErrorOf(std::string_view json) {
  JsonReader reader;
  const absl::Status status = reader.ReadCopy<Sample>(json).status();
  EXPECT_TRUE(status.ok() ||
              status.code() == absl::StatusCode::kInvalidArgument)
      << status;
  return std::string(status.message());
}

constexpr char kWhole[] = R"({
  "text": "a\"b\\c\/d\n\t\u00e9\ud83d\ude00",
  "flag": true, "small": -2147483648, "large": 9223372036854775807,
  "labels": {"app": "web", "empty": ""}, "list": ["x", ""], "maybe": "",
  "unknown": {"deep": [1, 2.5e3, null, {"x": [[]]}]},
  "children": [{"text": "one"}, {}]
})";

TEST(JsonTest, ReadsEveryKindOfField) {
  const Sample sample = Parse(kWhole);
  EXPECT_EQ(sample.text, "a\"b\\c/d\n\té😀");
  EXPECT_TRUE(sample.flag);
  EXPECT_EQ(sample.small, INT32_MIN);
  EXPECT_EQ(sample.large, INT64_MAX);
  EXPECT_THAT(sample.labels,
              ElementsAre(Pair("app", "web"), Pair("empty", "")));
  EXPECT_THAT(sample.list, ElementsAre("x", ""));
  EXPECT_EQ(sample.maybe, "");
  ASSERT_EQ(sample.children.size(), 2u);
  EXPECT_EQ(sample.children[0].text, "one");
  EXPECT_EQ(sample.children[1].text, "unset");
}

TEST(JsonTest, AbsentFieldsKeepTheirDefaults) {
  const Sample sample = Parse("{}");
  EXPECT_EQ(sample.text, "unset");
  EXPECT_EQ(sample.small, 7);
  EXPECT_FALSE(sample.maybe.has_value());
}

TEST(JsonTest, NullIsLikeAnAbsentField) {
  const Sample sample = Parse(
      R"({"text": null, "flag": null, "small": null, "large": null,
          "labels": null, "list": null, "maybe": null, "children": null})");
  EXPECT_EQ(sample.text, "unset");
  EXPECT_FALSE(sample.flag);
  EXPECT_EQ(sample.small, 7);
  EXPECT_EQ(sample.large, 7);
  EXPECT_TRUE(sample.labels.empty());
  EXPECT_TRUE(sample.list.empty());
  EXPECT_FALSE(sample.maybe.has_value());
  EXPECT_TRUE(sample.children.empty());
}

TEST(JsonTest, NullElementsAndLabelValuesAreEmpty) {
  const Sample sample = Parse(R"({"list": [null, "x"], "children": [null],
                                  "labels": {"a": null}})");
  EXPECT_THAT(sample.list, ElementsAre("", "x"));
  EXPECT_EQ(sample.children.size(), 1u);
  EXPECT_THAT(sample.labels, ElementsAre(Pair("a", "")));
}

TEST(JsonTest, OnlyTheWholeLiteralIsNull) {
  EXPECT_NE(ErrorOf(R"({"flag": nul})"), "");
  EXPECT_NE(ErrorOf(R"({"flag": nulls})"), "");
  EXPECT_EQ(ErrorOf(R"({"flag": "null"})"),
            "flag: must be true or false, got \"null\"");
}

TEST(JsonTest, OfDuplicateFieldsTheLastCounts) {
  EXPECT_EQ(Parse(R"({"text": "a", "text": "b"})").text, "b");
  EXPECT_THAT(Parse(R"({"list": ["a", "b"], "list": ["c"]})").list,
              ElementsAre("c"));
  EXPECT_THAT(Parse(R"({"labels": {"a": "1", "a": "2"}})").labels,
              ElementsAre(Pair("a", "2")));
}

TEST(JsonTest, EscapedKeysAreTheSameKeys) {
  EXPECT_EQ(Parse(R"({"te\u0078t": "a"})").text, "a");
  EXPECT_THAT(Parse(R"({"labels": {"a\u002fb": "1"}})").labels,
              ElementsAre(Pair("a/b", "1")));
}

TEST(JsonTest, ATypeErrorNamesPathWantedTypeAndValue) {
  EXPECT_EQ(ErrorOf(R"({"text": 5})"), "text: must be a string, got 5");
  EXPECT_EQ(ErrorOf(R"({"text": {"a": 1}})"),
            "text: must be a string, got an object");
  EXPECT_EQ(ErrorOf(R"({"text": ["a"]})"),
            "text: must be a string, got an array");
  EXPECT_EQ(ErrorOf(R"({"flag": "yes" })"),
            "flag: must be true or false, got \"yes\"");
  EXPECT_EQ(ErrorOf(R"({"small": "high"})"),
            "small: must be a 32-bit integer, got \"high\"");
  EXPECT_EQ(ErrorOf(R"({"large": 1.5})"), "large: must be an integer, got 1.5");
  EXPECT_EQ(ErrorOf(R"({"list": "x"})"), "list: must be an array, got \"x\"");
  EXPECT_EQ(ErrorOf(R"({"labels": ["x"]})"),
            "labels: must be an object, got an array");
  EXPECT_EQ(ErrorOf(R"({"maybe": true})"), "maybe: must be a string, got true");
}

TEST(JsonTest, PathsGoThroughFieldsAndElements) {
  EXPECT_EQ(
      ErrorOf(R"({"children": [{}, {"children": [{"list": ["a", 1]}]}]})"),
      "children[1].children[0].list[1]: must be a string, got 1");
  EXPECT_EQ(ErrorOf(R"({"labels": {"app": "web", "tier": 1}})"),
            "labels.tier: must be a string, got 1");
  EXPECT_EQ(ErrorOf(R"({"children": [{}, 5]})"),
            "children[1]: must be an object, got 5");
}

TEST(JsonTest, IntegersOutOfRangeAreErrors) {
  EXPECT_EQ(ErrorOf(R"({"small": 2147483648})"),
            "small: must be a 32-bit integer, got 2147483648");
  EXPECT_EQ(ErrorOf(R"({"small": -2147483649})"),
            "small: must be a 32-bit integer, got -2147483649");
  EXPECT_EQ(ErrorOf(R"({"large": 9223372036854775808})"),
            "large: must be an integer, got 9223372036854775808");
  EXPECT_EQ(Parse(R"({"small": 2147483647})").small, INT32_MAX);
  EXPECT_EQ(Parse(R"({"large": -9223372036854775808})").large, INT64_MIN);
}

TEST(JsonTest, LongValuesAreShortenedInErrors) {
  const std::string error =
      ErrorOf("{\"flag\": \"" + std::string(1000, 'x') + "\"}");
  EXPECT_THAT(error, StartsWith("flag: must be true or false, got \"xxx"));
  EXPECT_LT(error.size(), 150u);
}

TEST(JsonTest, TheRootMustBeAnObjectOfTheType) {
  EXPECT_EQ(ErrorOf("[1]"), "must be an object, got an array");
  for (const char* json : {"5", "\"x\"", "true", "null"}) {
    EXPECT_EQ(ErrorOf(json), "must be an object or an array") << json;
  }
}

TEST(JsonTest, EmptyTextIsAnError) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("invalid JSON"));
  EXPECT_THAT(ErrorOf(" \n"), HasSubstr("invalid JSON"));
}

TEST(JsonTest, TextBehindTheValueIsAnError) {
  EXPECT_EQ(ErrorOf("{} {}"), "text after the JSON value");
  EXPECT_EQ(ErrorOf("{}x"), "text after the JSON value");
  EXPECT_NE(ErrorOf("{}}"), "");
  EXPECT_EQ(ErrorOf("{} \n\t"), "");
}

TEST(JsonTest, MalformedJsonIsAnError) {
  for (const char* json :
       {"{\"text\" \"a\"}", "{\"text\": }", "{\"text\": \"a\",}",
        "{text: \"a\"}", "{\"list\": [\"a\" \"b\"]}", "{\"list\": [\"a\",]}",
        "{\"list\": [\"a\"}", "{\"text\": 'a'}", "{\"text\": \"\\q\"}",
        "{\"text\": \"\\u12\"}", "{\"text\": \"\\ud800\"}",
        "{\"text\": \"a\xff\"}", "{\"flag\": tru}", "{\"large\": 01}",
        "{\"large\": +1}", "{\"small\": 1e2}", "{,}", "{\"text\": \"a\nb\"}"}) {
    EXPECT_NE(ErrorOf(json), "") << json;
  }
}

TEST(JsonTest, SyntaxErrorsNameTheField) {
  EXPECT_THAT(ErrorOf(R"({"children": [{"text": "\q"}]})"),
              StartsWith("children[0].text: invalid JSON: "));
}

TEST(JsonTest, TextCutAnywhereIsAnErrorAndNothingWorse) {
  const std::string_view whole = kWhole;
  ASSERT_EQ(ErrorOf(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << whole.substr(0, size);
  }
}

TEST(JsonTest, DamagedTextNeverCrashes) {
  std::mt19937 random(1);
  constexpr std::string_view kBytes = "{}[]\",:\\ntf0-e.x \xff\x01";
  int errors = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string json = kWhole;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      json[random() % json.size()] = kBytes[random() % kBytes.size()];
    }
    if (!ErrorOf(json).empty()) ++errors;
  }
  EXPECT_GT(errors, 10000);
}

TEST(JsonTest, DeepValuesOfUnknownFieldsAreSkipped) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(Parse("{\"unknown\": " + deep + ", \"text\": \"a\"}").text, "a");
}

TEST(JsonTest, AReaderIsAsGoodAsNewAfterAnError) {
  JsonReader reader;
  EXPECT_FALSE(reader.ReadCopy<Sample>("{\"text\": [").ok());
  EXPECT_FALSE(reader.ReadCopy<Sample>("{\"text\": 5}").ok());
  EXPECT_FALSE(reader.ReadCopy<Sample>("").ok());
  const absl::StatusOr<Sample> sample =
      reader.ReadCopy<Sample>(R"({"text": "good"})");
  ASSERT_TRUE(sample.ok()) << sample.status();
  EXPECT_EQ(sample->text, "good");
}

TEST(JsonTest, PathsAreWrittenAsKubernetesWritesThem) {
  const JsonPath root;
  EXPECT_EQ(root.ToString(), "");
  const JsonPath spec = root.Field("spec");
  const JsonPath containers = spec.Field("containers");
  const JsonPath first = containers.Index(0);
  EXPECT_EQ(first.Field("name").ToString(), "spec.containers[0].name");
}

}  // namespace
}  // namespace vicinal
