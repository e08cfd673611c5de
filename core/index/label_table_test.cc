#include "core/index/label_table.h"

#include <gtest/gtest.h>

namespace vicinal {
namespace {

// The table never looks into a group.
PodGroup* Group(std::uintptr_t number) {
  return reinterpret_cast<PodGroup*>(number << 8);
}

TEST(LabelTableTest, FindsALabelWhileAGroupHasIt) {
  LabelTable table;
  EXPECT_EQ(table.Find({"app", "web"}), nullptr);
  LabelTable::Label* const label = table.Add({"app", "web"}, Group(1));
  EXPECT_EQ(table.Find({"app", "web"}), label);
  EXPECT_EQ(*label->key, "app");
  EXPECT_EQ(label->value, "web");
  EXPECT_EQ(table.Find({"app", "db"}), nullptr);
  EXPECT_EQ(table.Find({"appw", "eb"}), nullptr);
  EXPECT_EQ(table.Remove(label, 0), nullptr);
  EXPECT_EQ(table.Find({"app", "web"}), nullptr);
  EXPECT_TRUE(table.empty());
}

TEST(LabelTableTest, SaysWhichGroupMovedIntoTheGap) {
  LabelTable table;
  LabelTable::Label* const label = table.Add({"app", "web"}, Group(1));
  EXPECT_EQ(table.Add({"app", "web"}, Group(2)), label);
  EXPECT_EQ(table.Add({"app", "web"}, Group(3)), label);
  EXPECT_EQ(table.Remove(label, 0), Group(3));
  EXPECT_EQ(label->groups[0], Group(3));
  EXPECT_EQ(label->groups[1], Group(2));
  EXPECT_EQ(table.Remove(label, 1), nullptr);
  EXPECT_EQ(table.Remove(label, 0), nullptr);
  EXPECT_TRUE(table.empty());
}

TEST(LabelTableTest, KeepsAKeyWhileAnotherLabelHasIt) {
  LabelTable table;
  LabelTable::Label* const web = table.Add({"app", "web"}, Group(1));
  LabelTable::Label* const db = table.Add({"app", "db"}, Group(2));
  EXPECT_EQ(web->key, db->key);
  table.Remove(web, 0);
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(*db->key, "app");
  table.Remove(db, 0);
  EXPECT_TRUE(table.empty());
}

}  // namespace
}  // namespace vicinal
