#include "core/deschedule/status_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using Kind = ContainerFacts::Kind;

constexpr std::int64_t kNow = 1'000'000;

Strategy Of(StrategyKind kind) {
  Strategy strategy;
  strategy.kind = kind;
  return strategy;
}

ContainerFacts Restarted(Kind kind, std::int64_t restarts,
                         const std::string& waiting = "") {
  ContainerFacts facts;
  facts.kind = kind;
  facts.restarts = restarts;
  facts.waiting_reason = waiting;
  return facts;
}

ContainerFacts Terminated(Kind kind, const std::string& reason,
                          std::int64_t exit_code) {
  ContainerFacts facts;
  facts.kind = kind;
  facts.terminated_reason = reason;
  facts.exit_code = exit_code;
  return facts;
}

PodStatusFacts Pod(const std::string& phase, std::int64_t age) {
  PodStatusFacts status;
  status.phase = phase;
  status.creation_time = kNow - age;
  return status;
}

ObjectMeta OwnedBy(const std::string& kind) {
  ObjectMeta meta;
  meta.owner_references = {{"", kind, "owner", true}};
  return meta;
}

// The reason; empty if the pod is none of those that are looked for.
std::string Match(const Strategy& strategy, const PodStatusFacts& status,
                  const ObjectMeta& meta = {}) {
  const auto match = MatchStatus(strategy, meta, status, kNow);
  return match ? match->reason : "";
}

TEST(StatusMatchTest, RestartsAreSummedOverTheContainersThatCount) {
  Strategy strategy = Of(StrategyKind::kTooManyRestarts);
  strategy.restart_threshold = 10;
  PodStatusFacts status = Pod("Running", 60);
  status.containers = {Restarted(Kind::kMain, 4), Restarted(Kind::kMain, 5),
                       Restarted(Kind::kInit, 1),
                       Restarted(Kind::kEphemeral, 100)};
  EXPECT_EQ(Match(strategy, status), "");
  strategy.including_init_containers = true;
  EXPECT_EQ(Match(strategy, status),
            "its containers have restarted 10 times, podRestartThreshold is "
            "10");
}

TEST(StatusMatchTest, ThePodWithMoreRestartsComesFirst) {
  Strategy strategy = Of(StrategyKind::kTooManyRestarts);
  strategy.restart_threshold = 1;
  PodStatusFacts few = Pod("Running", 60);
  few.containers = {Restarted(Kind::kMain, 2)};
  PodStatusFacts many = few;
  many.containers = {Restarted(Kind::kMain, 3)};
  EXPECT_LT(MatchStatus(strategy, {}, many, kNow)->rank,
            MatchStatus(strategy, {}, few, kNow)->rank);
}

TEST(StatusMatchTest, RestartsCanBeOfPodsInAStateOnly) {
  Strategy strategy = Of(StrategyKind::kTooManyRestarts);
  strategy.restart_threshold = 1;
  strategy.states = {"CrashLoopBackOff"};
  PodStatusFacts status = Pod("Running", 60);
  status.containers = {Restarted(Kind::kMain, 9)};
  EXPECT_EQ(Match(strategy, status), "");
  status.containers.push_back(Restarted(Kind::kInit, 0, "CrashLoopBackOff"));
  EXPECT_EQ(Match(strategy, status), "");
  strategy.including_init_containers = true;
  EXPECT_THAT(Match(strategy, status), HasSubstr("it is CrashLoopBackOff"));
  strategy.states = {"Running"};
  EXPECT_THAT(Match(strategy, status), HasSubstr("it is Running"));
}

TEST(StatusMatchTest, LifeTimeIsExceededByMoreThanTheMaximum) {
  Strategy strategy = Of(StrategyKind::kPodLifeTime);
  strategy.max_age_seconds = 100;
  EXPECT_EQ(Match(strategy, Pod("Running", 100)), "");
  EXPECT_EQ(Match(strategy, Pod("Running", 101)),
            "it is 101 seconds old, maxPodLifeTimeSeconds is 100");
  EXPECT_EQ(Match(strategy, Pod("Running", -5)), "");
  PodStatusFacts unknown = Pod("Running", 0);
  unknown.creation_time.reset();
  EXPECT_EQ(Match(strategy, unknown), "");
}

TEST(StatusMatchTest, LifeTimeWantsAllThatItNames) {
  Strategy strategy = Of(StrategyKind::kPodLifeTime);
  strategy.states = {"OOMKilled", "Evicted"};
  strategy.exit_codes = {137};
  PodStatusFacts status = Pod("Running", 60);
  status.containers = {Terminated(Kind::kMain, "OOMKilled", 137)};
  EXPECT_EQ(Match(strategy, status),
            "its state is OOMKilled; a container has ended with 137");
  strategy.exit_codes = {1};
  EXPECT_EQ(Match(strategy, status), "");
  strategy.exit_codes.clear();
  status.containers[0].kind = Kind::kEphemeral;
  EXPECT_EQ(Match(strategy, status), "");
  strategy.including_ephemeral_containers = true;
  EXPECT_EQ(Match(strategy, status), "its state is OOMKilled");
  status.containers.clear();
  status.reason = "Evicted";
  EXPECT_EQ(Match(strategy, status), "its state is Evicted");
}

TEST(StatusMatchTest, LifeTimeLooksAtConditions) {
  Strategy strategy = Of(StrategyKind::kPodLifeTime);
  strategy.conditions = {{"", "True", "PodCompleted", 50}};
  PodStatusFacts status = Pod("Succeeded", 60);
  status.conditions = {{"Ready", "False", "PodCompleted", 0},
                       {"Initialized", "True", "PodCompleted", kNow - 49}};
  EXPECT_EQ(Match(strategy, status), "");
  status.conditions[1].last_transition = kNow - 50;
  EXPECT_EQ(Match(strategy, status),
            "its condition Initialized is True (PodCompleted)");
  status.conditions[1].last_transition.reset();
  EXPECT_EQ(Match(strategy, status), "");
}

TEST(StatusMatchTest, LifeTimeLooksAtOwners) {
  Strategy strategy = Of(StrategyKind::kPodLifeTime);
  strategy.states = {"Running"};
  strategy.include_owner_kinds = {"Job"};
  EXPECT_EQ(Match(strategy, Pod("Running", 60), OwnedBy("ReplicaSet")), "");
  EXPECT_NE(Match(strategy, Pod("Running", 60), OwnedBy("Job")), "");
  strategy.include_owner_kinds.clear();
  strategy.exclude_owner_kinds = {"Job"};
  EXPECT_NE(Match(strategy, Pod("Running", 60), OwnedBy("ReplicaSet")), "");
  EXPECT_EQ(Match(strategy, Pod("Running", 60), OwnedBy("Job")), "");
}

TEST(StatusMatchTest, FailedPodsMustHaveBeenThereForAnHour) {
  const Strategy strategy = Of(StrategyKind::kFailedPods);
  EXPECT_EQ(Match(strategy, Pod("Failed", 3599)), "");
  EXPECT_EQ(Match(strategy, Pod("Failed", 3600)), "it has failed");
  EXPECT_EQ(Match(strategy, Pod("Succeeded", 3600)), "");
}

TEST(StatusMatchTest, FailedPodsCanBeOfReasonsExitCodesAndOwners) {
  Strategy strategy = Of(StrategyKind::kFailedPods);
  strategy.reasons = {"OutOfcpu", "StartError"};
  PodStatusFacts status = Pod("Failed", 3600);
  status.containers = {Terminated(Kind::kInit, "StartError", 128)};
  EXPECT_EQ(Match(strategy, status), "");
  strategy.including_init_containers = true;
  strategy.exit_codes = {128};
  EXPECT_EQ(Match(strategy, status),
            "it has failed: StartError; a container has ended with 128");
  strategy.exit_codes = {1};
  EXPECT_EQ(Match(strategy, status), "");
  strategy.exit_codes.clear();
  status.containers.clear();
  status.reason = "OutOfcpu";
  EXPECT_EQ(Match(strategy, status), "it has failed: OutOfcpu");
  strategy.exclude_owner_kinds = {"Job"};
  EXPECT_EQ(Match(strategy, status, OwnedBy("Job")), "");
}

}  // namespace
}  // namespace vicinal
