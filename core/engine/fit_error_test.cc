#include "core/engine/fit_error.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/run_plugins.h"
#include "core/plugins/status.h"

namespace vicinal {
namespace {

Status Refused(std::string_view reason) {
  return Status(Code::kUnschedulable, reason);
}

FilterOutcome Outcome(std::vector<Status> statuses) {
  FilterOutcome outcome;
  outcome.statuses = NodeStatuses(statuses.size());
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) continue;
    outcome.statuses.Set(i, outcome.statuses.Add(statuses[i]));
  }
  return outcome;
}

TEST(FitErrorMessageTest, CountsTheReasons) {
  EXPECT_EQ(FitErrorMessage(
                Outcome({Refused("a"), Refused("b"),
                         Status(Code::kUnschedulableAndUnresolvable, "b")})),
            "0/3 nodes are available: 1 a, 2 b.");
}

TEST(FitErrorMessageTest, CountsEveryReasonOfANode) {
  EXPECT_EQ(FitErrorMessage(
                Outcome({Status(Code::kUnschedulable,
                                std::vector<std::string>{"cpu", "memory"}),
                         Refused("cpu")})),
            "0/2 nodes are available: 1 memory, 2 cpu.");
}

TEST(FitErrorMessageTest, SortsByTextSoThatTenComesBeforeTwo) {
  std::vector<Status> statuses(10, Refused("z"));
  statuses.push_back(Refused("a"));
  statuses.push_back(Refused("a"));
  EXPECT_EQ(FitErrorMessage(Outcome(statuses)),
            "0/12 nodes are available: 10 z, 2 a.");
}

TEST(FitErrorMessageTest, ARefusalOfAllNodesIsNotCounted) {
  const Status refused(Code::kUnschedulableAndUnresolvable, "impossible");
  FilterOutcome outcome = Outcome({refused, refused});
  outcome.pre_filter = refused;
  EXPECT_EQ(FitErrorMessage(outcome), "0/2 nodes are available: impossible.");
}

TEST(FitErrorMessageTest, IsEmptyIfANodeFits) {
  EXPECT_EQ(FitErrorMessage(Outcome({Refused("a"), Status()})), "");
}

TEST(FitErrorMessageTest, IsEmptyIfTheQuestionIsInError) {
  EXPECT_EQ(FitErrorMessage(Outcome({Refused("a"), Status::Error("boom")})),
            "");
}

TEST(FitErrorMessageTest, WithoutNodesItSaysSoWhateverElseIsWrong) {
  constexpr char kNoNodes[] = "no nodes available to schedule pods";
  FilterOutcome outcome;
  EXPECT_EQ(FitErrorMessage(outcome), kNoNodes);
  outcome.pre_filter = Status::Error("boom");
  EXPECT_EQ(FitErrorMessage(outcome), kNoNodes);
}

}  // namespace
}  // namespace vicinal
