#include "server/listeners/extender/quiet_refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> NamesOf(
    const std::vector<ExtenderFilterResult::FailedNode>& nodes) {
  std::vector<std::string_view> names;
  for (const auto& node : nodes) names.push_back(node.name);
  return names;
}

ExtenderFilterResult FourNodes() {
  ExtenderFilterResult result;
  result.node_names = {"n1"};
  result.failed_nodes = {{"n2", "anti-affinity"}, {"n3", "spread"}};
  result.failed_and_unresolvable_nodes = {{"n4", "affinity"}};
  return result;
}

TEST(QuietRefusalsTest, EveryRefusalIsUnresolvableAndKeepsItsReason) {
  ExtenderFilterResult result = FourNodes();
  MakeQuiet("", result);
  EXPECT_THAT(result.failed_nodes, IsEmpty());
  EXPECT_THAT(NamesOf(result.failed_and_unresolvable_nodes),
              ElementsAre("n4", "n2", "n3"));
  EXPECT_EQ(result.failed_and_unresolvable_nodes[1].reason, "anti-affinity");
  EXPECT_THAT(result.node_names, ElementsAre("n1"));
}

TEST(QuietRefusalsTest, TheNominatedNodeStaysAsItIs) {
  ExtenderFilterResult result = FourNodes();
  MakeQuiet("n3", result);
  EXPECT_THAT(NamesOf(result.failed_nodes), ElementsAre("n3"));
  EXPECT_THAT(NamesOf(result.failed_and_unresolvable_nodes),
              ElementsAre("n4", "n2"));
}

// A node without a name can be asked about; a pod without a nomination has not
// nominated it.
TEST(QuietRefusalsTest, NoNominationIsNotTheNodeWithoutAName) {
  ExtenderFilterResult result;
  result.failed_nodes = {{"", "unknown"}};
  MakeQuiet("", result);
  EXPECT_THAT(result.failed_nodes, IsEmpty());
}

}  // namespace
}  // namespace vicinal
