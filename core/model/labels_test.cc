#include "core/model/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNull;
using ::testing::Pair;
using ::testing::Pointee;

TEST(LabelsTest, AreInAscendingOrderOfKeysHoweverTheyCame) {
  const Labels labels = {{"c", "3"}, {"a", "1"}, {"b", "2"}};
  EXPECT_THAT(labels,
              ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3")));
}

TEST(LabelsTest, OfSeveralEntriesWithOneKeyTheLastCounts) {
  const Labels labels = {{"b", "1"}, {"a", "1"}, {"b", "2"},
                         {"a", "2"}, {"b", "3"}, {"c", "1"}};
  EXPECT_THAT(labels,
              ElementsAre(Pair("a", "2"), Pair("b", "3"), Pair("c", "1")));
}

TEST(LabelsTest, FindTellsALabelWithoutValueFromAnAbsentOne) {
  const Labels labels = {{"empty", ""}, {"app", "web"}};
  EXPECT_THAT(labels.Find("empty"), Pointee(std::string()));
  EXPECT_TRUE(labels.Has("empty"));
  EXPECT_THAT(labels.Find("app"), Pointee(std::string("web")));
  EXPECT_THAT(labels.Find("ap"), IsNull());
  EXPECT_THAT(labels.Find("appp"), IsNull());
  EXPECT_THAT(labels.Find("zzz"), IsNull());
  EXPECT_FALSE(labels.Has(""));
}

TEST(LabelsTest, SetAddsInOrderAndReplaces) {
  Labels labels;
  labels.Set("b", "1");
  labels.Set("a", "1");
  labels.Set("c", "1");
  labels.Set("b", "2");
  EXPECT_THAT(labels,
              ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "1")));
}

TEST(LabelsTest, EqualityIgnoresTheOrderTheyCameIn) {
  EXPECT_EQ((Labels{{"a", "1"}, {"b", "2"}}), (Labels{{"b", "2"}, {"a", "1"}}));
  EXPECT_NE((Labels{{"a", "1"}}), (Labels{{"a", ""}}));
  EXPECT_NE((Labels{{"a", "1"}}), Labels());
}

TEST(LabelsTest, ASetOfLabelsIsEmptyOnlyWithoutEntries) {
  EXPECT_TRUE(Labels().empty());
  EXPECT_FALSE((Labels{{"a", ""}}).empty());
  EXPECT_EQ((Labels{{"a", ""}, {"b", ""}}).size(), 2u);
}

}  // namespace
}  // namespace vicinal
