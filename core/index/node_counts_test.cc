#include "core/index/node_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/index/node_counts_reader.h"

namespace vicinal {
namespace {

std::map<NodeId, std::int32_t> Contents(const NodeCounts& counts) {
  std::map<NodeId, std::int32_t> contents;
  counts.ForEach([&](NodeId node, std::int32_t count) {
    EXPECT_TRUE(contents.emplace(node, count).second) << node << " came twice";
  });
  return contents;
}

// Grows to all nodes and shrinks to none, through all forms and back.
TEST(NodeCountsTest, HoldsWhatWasAddedHoweverManyNodesThereAre) {
  std::mt19937 random(1);
  NodeCounts counts;
  std::map<NodeId, std::int32_t> expected;
  const auto add = [&](NodeId node, std::int32_t delta) {
    counts.Add(node, delta);
    if ((expected[node] += delta) == 0) expected.erase(node);
  };
  for (int step = 0; step < 20'000; ++step) {
    const NodeId node = random() % 300;
    const bool grows = step % 8'000 < 4'000;
    const auto it = expected.find(node);
    if (grows) {
      add(node, 1 + static_cast<std::int32_t>(random() % 3));
    } else if (it != expected.end()) {
      add(node, -it->second);
    } else if (!expected.empty()) {
      add(expected.begin()->first, -1);
    }
    if (step % 50 != 0) continue;
    ASSERT_EQ(Contents(counts), expected) << "step " << step;
    ASSERT_EQ(counts.size(), expected.size()) << "step " << step;
    const NodeCountsReader reader(counts);
    for (NodeId id = 0; id < 310; ++id) {
      const auto known = expected.find(id);
      const std::int32_t count = known == expected.end() ? 0 : known->second;
      ASSERT_EQ(counts.Get(id), count);
      ASSERT_EQ(reader.Get(id), count);
    }
  }
  EXPECT_GT(expected.size(), 250u);
  while (!expected.empty()) {
    add(expected.begin()->first, -expected.begin()->second);
  }
  EXPECT_TRUE(counts.empty());
  EXPECT_TRUE(Contents(counts).empty());
}

}  // namespace
}  // namespace vicinal
