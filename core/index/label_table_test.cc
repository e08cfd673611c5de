#include "core/index/label_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace vicinal {
namespace {

TEST(LabelTableTest, FindsALabelWhileAGroupHasIt) {
  LabelTable table;
  EXPECT_EQ(table.Find({"app", "web"}), nullptr);
  LabelTable::Label* const label = table.Add({"app", "web"}, 1);
  EXPECT_EQ(table.Find({"app", "web"}), label);
  EXPECT_EQ(*label->key, "app");
  EXPECT_EQ(label->value, "web");
  EXPECT_EQ(table.Find({"app", "db"}), nullptr);
  EXPECT_EQ(table.Find({"appw", "eb"}), nullptr);
  EXPECT_EQ(table.Remove(label, 0), std::nullopt);
  EXPECT_EQ(table.Find({"app", "web"}), nullptr);
  EXPECT_TRUE(table.empty());
}

TEST(LabelTableTest, SaysWhichGroupMovedIntoTheGap) {
  LabelTable table;
  LabelTable::Label* const label = table.Add({"app", "web"}, 1);
  EXPECT_EQ(table.Add({"app", "web"}, 2), label);
  EXPECT_EQ(table.Add({"app", "web"}, 3), label);
  EXPECT_EQ(table.Remove(label, 0), 3u);
  EXPECT_EQ(label->groups[0], 3u);
  EXPECT_EQ(label->groups[1], 2u);
  EXPECT_EQ(table.Remove(label, 1), std::nullopt);
  EXPECT_EQ(table.Remove(label, 0), std::nullopt);
  EXPECT_TRUE(table.empty());
}

TEST(LabelTableTest, FindsWhatIsLeftOfMany) {
  LabelTable table;
  std::vector<LabelTable::Label*> labels;
  for (int i = 0; i < 10'000; ++i) {
    labels.push_back(table.Add({"app", std::to_string(i)}, 1));
  }
  for (int i = 1; i < 10'000; ++i) table.Remove(labels[i], 0);
  EXPECT_EQ(table.Find({"app", "0"}), labels[0]);
  EXPECT_EQ(table.Find({"app", "1"}), nullptr);
  EXPECT_EQ(table.Add({"app", "0"}, 2), labels[0]);
}

TEST(LabelTableTest, KeepsAKeyWhileAnotherLabelHasIt) {
  LabelTable table;
  LabelTable::Label* const web = table.Add({"app", "web"}, 1);
  LabelTable::Label* const db = table.Add({"app", "db"}, 2);
  EXPECT_EQ(web->key, db->key);
  table.Remove(web, 0);
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(*db->key, "app");
  table.Remove(db, 0);
  EXPECT_TRUE(table.empty());
}

TEST(LabelTableTest, TellsTheLabelsOfAKey) {
  LabelTable table;
  LabelTable::Label* const web = table.Add({"app", "web"}, 1);
  LabelTable::Label* const db = table.Add({"app", "db"}, 2);
  table.Add({"tier", "web"}, 1);
  using testing::UnorderedElementsAre;
  EXPECT_THAT(table.WithKey("app"), UnorderedElementsAre(web, db));
  EXPECT_TRUE(table.WithKey("ap").empty());
  table.Remove(web, 0);
  EXPECT_THAT(table.WithKey("app"), UnorderedElementsAre(db));
  table.Remove(db, 0);
  EXPECT_TRUE(table.WithKey("app").empty());
}

}  // namespace
}  // namespace vicinal
