#include "core/index/node_name_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NodeNameTableTest, FindsNamesInTheirOrder) {
  NodeNameTable names;
  names.Add("a", 1);
  names.Add("b", 0);
  const std::vector<std::string_view> wanted = {"b", "none", "a", "", "b"};
  EXPECT_THAT(names.Find(wanted), ElementsAre(0, kNoNode, 1, kNoNode, 0));
  EXPECT_THAT(names.Find({}), IsEmpty());
}

TEST(NodeNameTableTest, ARemovedNameIsNotFoundAndItsIdMayBeUsedAgain) {
  NodeNameTable names;
  names.Add("a", 0);
  names.Remove(0);
  names.Add("b", 0);
  const std::vector<std::string_view> wanted = {"a", "b"};
  EXPECT_THAT(names.Find(wanted), ElementsAre(kNoNode, 0));
}

// Chains of slots grow together and are torn apart: with a table half full and
// thousands of changes there are all kinds of them.
TEST(NodeNameTableTest, IsAMapWhateverIsAddedAndRemoved) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<std::string> texts;
  std::vector<std::string_view> wanted;
  for (int i = 0; i < 3000; ++i) {
    texts.push_back("node-" + std::to_string(i) + std::string(i % 50, 'x'));
  }
  for (const std::string& text : texts) wanted.push_back(text);
  NodeNameTable names;
  std::vector<NodeId> truth(texts.size(), kNoNode);
  std::vector<NodeId> free;
  NodeId next = 0;
  for (int round = 0; round < 20; ++round) {
    for (int change = 0; change < 1500; ++change) {
      const std::size_t i = random() % texts.size();
      if (truth[i] != kNoNode) {
        names.Remove(truth[i]);
        free.push_back(truth[i]);
        truth[i] = kNoNode;
      } else {
        if (free.empty()) free.push_back(next++);
        truth[i] = free.back();
        free.pop_back();
        names.Add(texts[i], truth[i]);
      }
    }
    ASSERT_EQ(names.Find(wanted), truth) << "round " << round;
  }
}

}  // namespace
}  // namespace vicinal
