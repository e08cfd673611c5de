#include "core/model/label_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// The expected texts are what k8s.io/apimachinery v0.37.1 printed.

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kNameRule[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and "
    "must start and end with an alphanumeric character (e.g. 'MyName',  or "
    "'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kPrefixRule[] =
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case "
    "alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr char kSlashRule[] =
    "a valid label key must consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. "
    "'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS "
    "subdomain prefix and '/' (e.g. 'example.com/MyName')";
constexpr char kValueRule[] =
    "a valid label must be an empty string or consist of alphanumeric "
    "characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

TEST(LabelValidationTest, WellFormedKeysHaveNoErrors) {
  for (const std::string& key :
       {std::string("a"), std::string("App_1.x-y"), std::string("9"),
        std::string("x/a"), std::string("topology.kubernetes.io/zone"),
        std::string("x.y-z/A"), std::string(63, 'a'),
        "x/" + std::string(63, 'a'), std::string(253, 'a') + "/a"}) {
    EXPECT_THAT(LabelKeyErrors(key), IsEmpty()) << key;
  }
}

TEST(LabelValidationTest, TheNameOfAKeyStartsAndEndsWithALetterOrDigit) {
  for (const std::string key : {"-a", "a-", ".a", "a_", "a b", "é", "x/-a"}) {
    EXPECT_THAT(LabelKeyErrors(key), ElementsAre(kNameRule)) << key;
  }
}

TEST(LabelValidationTest, TheNameOfAKeyMustNotBeEmpty) {
  for (const std::string key : {"", "x/"}) {
    EXPECT_THAT(LabelKeyErrors(key),
                ElementsAre("name part must be non-empty", kNameRule))
        << key;
  }
}

TEST(LabelValidationTest, TheNameOfAKeyHasAtMost63Bytes) {
  EXPECT_THAT(LabelKeyErrors(std::string(64, 'a')),
              ElementsAre("name part must be no more than 63 bytes"));
  EXPECT_THAT(
      LabelKeyErrors(std::string(64, '-')),
      ElementsAre("name part must be no more than 63 bytes", kNameRule));
}

TEST(LabelValidationTest, ThePrefixOfAKeyIsALowercaseSubdomain) {
  for (const std::string key :
       {"X/a", "x..y/a", "x./a", ".x/a", "x-.y/a", "-x/a", "x_y/a"}) {
    EXPECT_THAT(LabelKeyErrors(key), ElementsAre(kPrefixRule)) << key;
  }
}

TEST(LabelValidationTest, ThePrefixOfAKeyMustNotBeEmpty) {
  EXPECT_THAT(LabelKeyErrors("/a"),
              ElementsAre("prefix part must be non-empty"));
}

TEST(LabelValidationTest, ThePrefixOfAKeyHasAtMost253Bytes) {
  EXPECT_THAT(LabelKeyErrors(std::string(254, 'a') + "/a"),
              ElementsAre("prefix part must be no more than 253 bytes"));
}

TEST(LabelValidationTest, AKeyHasAtMostOneSlash) {
  EXPECT_THAT(LabelKeyErrors("a/b/c"), ElementsAre(kSlashRule));
  EXPECT_THAT(LabelKeyErrors("//"), ElementsAre(kSlashRule));
}

TEST(LabelValidationTest, AllErrorsOfAKeyAreReportedPrefixFirst) {
  EXPECT_THAT(
      LabelKeyErrors(std::string(254, 'A') + "/"),
      ElementsAre("prefix part must be no more than 253 bytes", kPrefixRule,
                  "name part must be non-empty", kNameRule));
  EXPECT_THAT(LabelKeyErrors("/"),
              ElementsAre("prefix part must be non-empty",
                          "name part must be non-empty", kNameRule));
}

TEST(LabelValidationTest, WellFormedValuesHaveNoErrors) {
  for (const std::string& value :
       {std::string(), std::string("a"), std::string("a_b.C-9"),
        std::string(63, 'a')}) {
    EXPECT_THAT(LabelValueErrors(value), IsEmpty()) << value;
  }
}

TEST(LabelValidationTest, AValueStartsAndEndsWithALetterOrDigit) {
  for (const std::string value : {"-a", "a-", "a b", "a/b", "+1", " "}) {
    EXPECT_THAT(LabelValueErrors(value), ElementsAre(kValueRule)) << value;
  }
}

TEST(LabelValidationTest, AValueHasAtMost63Bytes) {
  EXPECT_THAT(LabelValueErrors(std::string(64, 'a')),
              ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(LabelValueErrors(std::string(64, '-')),
              ElementsAre("must be no more than 63 bytes", kValueRule));
}

}  // namespace
}  // namespace vicinal
