#include "server/decisions/decision_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = DecisionRecord::Outcome;

DecisionRecord OfTwo() {
  DecisionRecord decision;
  decision.number = 7;
  decision.time = std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::milliseconds(1'700'000'000'123));
  decision.namespace_name = "shop";
  decision.name = "web-1";
  decision.uid = "u1";
  decision.scheduler = "default-scheduler";
  decision.outcome = Outcome::kNode;
  decision.candidates = 5;
  decision.fitting = 2;
  decision.best = 1;
  decision.node = "n1";
  decision.runner_up = "n2";
  decision.node_total = 600;
  decision.runner_up_total = -3;
  decision.scores = {{"PodTopologySpread", 2, 100, 0}, {"ImageLocality"}};
  decision.waited = std::chrono::microseconds(12'000);
  decision.took = std::chrono::microseconds(12'345);
  decision.generation = 1234;
  return decision;
}

TEST(DecisionJsonTest, ALineHasAllThatIsKnown) {
  EXPECT_EQ(
      ToJsonLine(OfTwo()),
      R"({"number":7,"time":"2023-11-14T22:13:20.123Z","namespace":"shop",)"
      R"("pod":"web-1","uid":"u1","scheduler":"default-scheduler",)"
      R"("outcome":"node","candidates":5,"fitting":2,"node":"n1","best":1,)"
      R"("nodeTotal":600,"runnerUp":"n2","runnerUpTotal":-3,"scores":[)"
      R"({"plugin":"PodTopologySpread","weight":2,"node":100,"runnerUp":0},)"
      R"({"plugin":"ImageLocality","weight":1,"node":0,"runnerUp":0}],)"
      R"("waitedSeconds":0.012,"tookSeconds":0.012345,"generation":1234})"
      "\n");
}

TEST(DecisionJsonTest, WhatIsWrittenIsRead) {
  DecisionRecord decision = OfTwo();
  auto read = ReadDecision(ToJsonLine(decision));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, decision);
  for (const Outcome outcome : {Outcome::kSeveral, Outcome::kNone,
                                Outcome::kError, Outcome::kDeclined}) {
    decision = DecisionRecord();
    decision.outcome = outcome;
    decision.reason = "0/3 nodes are available: \"\n…";
    read = ReadDecision(ToJsonLine(decision));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, decision);
  }
}

TEST(DecisionJsonTest, TheQuestionOfAPluginIsWrittenAndRead) {
  DecisionRecord decision;
  decision.question = "best";
  decision.position = 12;
  const std::string line = ToJsonLine(decision);
  EXPECT_THAT(line, HasSubstr(R"("question":"best","position":12,)"));
  const auto read = ReadDecision(line);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, decision);
}

TEST(DecisionJsonTest, OddNamesStayOneLineOfValidJson) {
  DecisionRecord decision = OfTwo();
  decision.namespace_name = "a/b\n\"c\"\xff";
  const std::string line = ToJsonLine(decision);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read = ReadDecision(line);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->namespace_name, "a/b\n\"c\"\uFFFD");
}

TEST(DecisionJsonTest, WhatIsNoDecisionIsSaid) {
  const auto error = [](std::string_view line) {
    return std::string(ReadDecision(line).status().message());
  };
  EXPECT_EQ(error("{"), "no decision: must be a JSON object");
  EXPECT_EQ(error("[]"), "no decision: must be a JSON object");
  EXPECT_EQ(error("{}"), "no decision: time: must be as of RFC 3339");
  const std::string valid = ToJsonLine(OfTwo());
  const auto with = [&](const char* field, const nlohmann::json& value) {
    nlohmann::json json = nlohmann::json::parse(valid);
    json[field] = value;
    return error(json.dump());
  };
  EXPECT_EQ(with("pod", 1), "no decision: pod: must be a string");
  EXPECT_EQ(with("candidates", -1),
            "no decision: candidates: must be a whole number");
  EXPECT_EQ(
      with("outcome", "maybe"),
      "no decision: outcome: must be node, nodes, none, error or declined");
  EXPECT_EQ(with("scores", {{{"weight", "2"}}}),
            "no decision: scores: weight: must be a whole number");
  EXPECT_EQ(with("scores", 1), "no decision: scores: must be a list");
  EXPECT_EQ(with("waitedSeconds", -1),
            "no decision: waitedSeconds: must be a number of seconds");
  EXPECT_EQ(with("unknown", 1), "");
}

}  // namespace
}  // namespace vicinal
