#include "server/listeners/scheduler_plugin/record_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/listeners/scheduler_plugin/testing/messages.h"

namespace vicinal {
namespace {

using ::testing::IsEmpty;
using Outcome = DecisionRecord::Outcome;

constexpr char kWeb[] =
    "{metadata: {name: web-1, namespace: shop, uid: u1, labels: {app: web}}, "
    "spec: {affinity: {podAntiAffinity: "
    "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}}}";

class RecordAnswerTest : public ::testing::Test {
 protected:
  explicit RecordAnswerTest(const std::string& config = "")
      : config_(MakeSchedulerConfig(config)) {
    v1::SchedulerMessage hello = MakeHello();
    Send(hello);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::string name = absl::StrCat("n", i);
      Send(MessageWith(NodeChange(
          i, absl::StrCat("{metadata: {name: ", name,
                          ", labels: {kubernetes.io/hostname: ", name,
                          "}}, status: {allocatable: {pods: 10}}}"))));
    }
    Send(MessageWith(WaitingPodChange(kWeb)));
    Send(SyncedMessage());
  }

  std::optional<v1::VicinalMessage> Send(v1::SchedulerMessage message) {
    message.set_position(++position_);
    const auto answer = session_.Handle(message);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *answer : std::nullopt;
  }

  // Of web-1.
  static v1::SchedulerMessage Question() {
    v1::SchedulerMessage message;
    message.mutable_question()->set_uid("u1");
    return message;
  }
  DecisionRecord Ask(const v1::SchedulerMessage& message) {
    const auto answer = Send(message);
    EXPECT_TRUE(answer && answer->has_answer());
    return RecordAnswer(message.question(), answer->answer(), session_);
  }
  DecisionRecord AskBest() {
    v1::SchedulerMessage message = Question();
    message.mutable_question()->mutable_best()->set_limit(4);
    return Ask(message);
  }
  DecisionRecord AskVerdicts() {
    v1::SchedulerMessage message = Question();
    message.mutable_question()->mutable_verdicts();
    return Ask(message);
  }
  void Fill(std::uint32_t node) {
    Send(MessageWith(PodChange(
        node, absl::StrCat("{metadata: {name: old, namespace: shop, uid: old-",
                           node, ", labels: {app: web}}}"))));
  }

  const SchedulerConfig config_;
  Session session_{config_, 1};
  std::uint64_t position_ = 0;
};

TEST_F(RecordAnswerTest, ANarrowedPodHasItsNodeAndTheNext) {
  Fill(1);
  const DecisionRecord record = AskBest();
  EXPECT_EQ(record.namespace_name, "shop");
  EXPECT_EQ(record.name, "web-1");
  EXPECT_EQ(record.uid, "u1");
  EXPECT_EQ(record.question, "best");
  EXPECT_EQ(record.position, position_);
  EXPECT_EQ(record.outcome, Outcome::kNode);
  EXPECT_EQ(record.candidates, 3u);
  EXPECT_EQ(record.fitting, 2u);
  const std::vector<std::string> nodes = {record.node, record.runner_up};
  EXPECT_THAT(nodes, ::testing::UnorderedElementsAre("n0", "n2"));
  EXPECT_THAT(record.reason, IsEmpty());
}

TEST_F(RecordAnswerTest, OfNamedNodesOnlyTheseAreCandidates) {
  v1::SchedulerMessage message = Question();
  auto& best = *message.mutable_question()->mutable_best();
  best.set_limit(4);
  best.set_nodes(std::string(1, 0b101));
  Fill(0);
  const DecisionRecord record = Ask(message);
  EXPECT_EQ(record.candidates, 2u);
  EXPECT_EQ(record.fitting, 1u);
  EXPECT_EQ(record.node, "n2");
  EXPECT_THAT(record.runner_up, IsEmpty());
}

TEST_F(RecordAnswerTest, APodThatFitsNowhereIsNotNarrowed) {
  for (std::uint32_t i = 0; i < 3; ++i) Fill(i);
  const DecisionRecord record = AskBest();
  EXPECT_EQ(record.outcome, Outcome::kNone);
  EXPECT_EQ(record.fitting, 0u);
  EXPECT_THAT(record.reason, ::testing::StartsWith("no node passes"));
}

TEST_F(RecordAnswerTest, VerdictsAreCountedByReason) {
  Fill(0);
  Fill(2);
  DecisionRecord record = AskVerdicts();
  EXPECT_EQ(record.question, "verdicts");
  EXPECT_EQ(record.outcome, Outcome::kSeveral);
  EXPECT_EQ(record.candidates, 3u);
  EXPECT_EQ(record.fitting, 1u);
  EXPECT_EQ(record.reason,
            "InterPodAffinity: 2 node(s) didn't match pod anti-affinity rules");
  Fill(1);
  record = AskVerdicts();
  EXPECT_EQ(record.outcome, Outcome::kNone);
  EXPECT_EQ(record.fitting, 0u);
}

TEST_F(RecordAnswerTest, OfScoresTheTwoBestNodesAreKept) {
  Send(MessageWith(WaitingPodChange(
      "{metadata: {name: web-1, namespace: shop, uid: u1}, spec: {affinity: "
      "{podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
      "[{weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, "
      "labelSelector: {matchLabels: {app: web}}}}]}}}}")));
  Fill(2);
  v1::SchedulerMessage message = Question();
  for (const std::uint32_t node : {0, 1, 2}) {
    message.mutable_question()->mutable_scores()->add_nodes(node);
  }
  const DecisionRecord record = Ask(message);
  EXPECT_EQ(record.question, "scores");
  EXPECT_EQ(record.outcome, Outcome::kSeveral);
  EXPECT_EQ(record.fitting, 3u);
  EXPECT_EQ(record.node, "n2");
  EXPECT_EQ(record.runner_up, "n0");
  EXPECT_EQ(record.best, 1u);
  ASSERT_EQ(record.scores.size(), 2u);
  EXPECT_EQ(record.scores[1],
            (DecisionRecord::PluginScore{"InterPodAffinity", 2, 100, 0}));
  EXPECT_EQ(record.node_total - record.runner_up_total, 200);
}

class DeclinedTest : public RecordAnswerTest {
 protected:
  // A filter that vicinal does not have.
  void Attach() {
    v1::SchedulerMessage hello = MakeHello();
    hello.mutable_hello()->mutable_profiles(0)->add_filters("Custom");
    hello.set_position(1);
    const auto ready = declining_.Handle(hello);
    ASSERT_TRUE(ready.ok()) << ready.status();
    v1::SchedulerMessage pod = MessageWith(WaitingPodChange(kWeb));
    pod.set_position(2);
    ASSERT_TRUE(declining_.Handle(pod).ok());
    v1::SchedulerMessage synced = SyncedMessage();
    synced.set_position(3);
    ASSERT_TRUE(declining_.Handle(synced).ok());
  }

  Session declining_{config_, 1};
};

TEST_F(DeclinedTest, WhyAPodIsNotNarrowedIsKept) {
  Attach();
  v1::SchedulerMessage message = Question();
  message.mutable_question()->mutable_best()->set_limit(1);
  message.set_position(4);
  const auto answer = declining_.Handle(message);
  ASSERT_TRUE(answer.ok() && *answer);
  const DecisionRecord record =
      RecordAnswer(message.question(), (*answer)->answer(), declining_);
  EXPECT_EQ(record.outcome, Outcome::kDeclined);
  EXPECT_EQ(record.reason, "vicinal does not have the filter plugin Custom");
}

}  // namespace
}  // namespace vicinal
