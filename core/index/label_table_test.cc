#include "core/index/label_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(LabelTableTest, FindsWhatIsLeftOfMany) {
  LabelTable table;
  std::vector<LabelTable::Label*> labels;
  for (int i = 0; i < 10'000; ++i) {
    labels.push_back(table.Add({"app", std::to_string(i)}, Group(1)));
  }
  for (int i = 1; i < 10'000; ++i) table.Remove(labels[i], 0);
  EXPECT_EQ(table.Find({"app", "0"}), labels[0]);
  EXPECT_EQ(table.Find({"app", "1"}), nullptr);
  EXPECT_EQ(table.Add({"app", "0"}, Group(2)), labels[0]);
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
