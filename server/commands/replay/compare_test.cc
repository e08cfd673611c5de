#include "server/commands/replay/compare.h"

#include <gtest/gtest.h>

#include <string>

namespace vicinal {
namespace {

using Outcome = DecisionRecord::Outcome;

class CompareTest : public ::testing::Test {
 protected:
  CompareTest() {
    Fitting("n1", 300, 50);
    Fitting("n2", 400, 100);
    v1::ExplainedNode& closed = *explanation_.add_nodes();
    closed.set_name("n3");
    closed.set_plugin("TaintToleration");
    closed.set_reason("node(s) had untolerated taint(s)");
    explanation_.set_nodes_total(3);
    explanation_.set_nodes_fitting(2);
  }

  void Fitting(const std::string& name, std::int64_t total,
               std::int64_t spread) {
    v1::ExplainedNode& node = *explanation_.add_nodes();
    node.set_name(name);
    node.set_fits(true);
    node.set_score(total);
    v1::ExplainedScore& score = *node.add_scores();
    score.set_plugin("PodTopologySpread");
    score.set_weight(2);
    score.set_normalized(spread);
  }

  static DecisionRecord Taken(const std::string& node) {
    DecisionRecord decision;
    decision.outcome = node.empty() ? Outcome::kNone : Outcome::kNode;
    decision.node = node;
    return decision;
  }
  Comparison With(const std::string& node) const {
    return Compare(Taken(node), explanation_);
  }

  v1::Explanation explanation_;
};

TEST_F(CompareTest, TheBestNodeIsEqual) {
  const Comparison same = With("n2");
  EXPECT_TRUE(same.equal);
  EXPECT_EQ(same.node, "n2");
  EXPECT_EQ(same.total, 400);
  EXPECT_EQ(same.why, "");
}

TEST_F(CompareTest, EachOfThoseWithTheHighestTotalIsEqual) {
  Fitting("n4", 400, 100);
  EXPECT_TRUE(With("n2").equal);
  EXPECT_TRUE(With("n4").equal);
}

TEST_F(CompareTest, OfAWorseNodeThePointsThatDecideAreTold) {
  const Comparison other = With("n1");
  EXPECT_FALSE(other.equal);
  EXPECT_EQ(other.node, "n2");
  EXPECT_EQ(other.total, 400);
  EXPECT_EQ(other.recorded_total, 300);
  EXPECT_EQ(other.why, "PodTopologySpread +100");
}

TEST_F(CompareTest, OfANodeThatDoesNotFitTheReasonIsTold) {
  const Comparison other = With("n3");
  EXPECT_FALSE(other.equal);
  EXPECT_EQ(other.recorded_total, std::nullopt);
  EXPECT_EQ(other.why, "n3: TaintToleration: node(s) had untolerated taint(s)");
  EXPECT_EQ(With("gone").why, "gone is not there");
}

TEST_F(CompareTest, APodThatFitNowhereMayFitNow) {
  const Comparison fits = With("");
  EXPECT_FALSE(fits.equal);
  EXPECT_EQ(fits.node, "n2");
  EXPECT_EQ(fits.why, "2 of 3 nodes fit");
}

TEST_F(CompareTest, APodThatFitsNowhereAnyMoreDiffers) {
  for (v1::ExplainedNode& node : *explanation_.mutable_nodes()) {
    node.set_fits(false);
  }
  explanation_.set_message("0/3 nodes are available: 3 Too many pods.");
  EXPECT_TRUE(With("").equal);
  const Comparison none = Compare(Taken("gone"), explanation_);
  EXPECT_FALSE(none.equal);
  EXPECT_EQ(none.node, "");
  EXPECT_EQ(none.why, "0/3 nodes are available: 3 Too many pods.");
}

}  // namespace
}  // namespace vicinal
