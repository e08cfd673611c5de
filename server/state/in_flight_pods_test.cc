#include "server/state/in_flight_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

#include "core/index/stored_pod.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = InFlightPods::BindStart::Kind;
using Outcome = InFlightLedger::BindOutcome;

ObjectKey Key(const std::string& name) { return {"default", name}; }

// A pod that may not be beside another of its app, with the uid uid-<name>.
Pod Alone(const std::string& name, const std::string& app = "web") {
  return ParsePod("{metadata: {namespace: default, name: " + name +
                  ", uid: uid-" + name + ", labels: {app: " + app +
                  "}}, spec: {affinity: {podAntiAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: "
                  "[{topologyKey: zone, labelSelector: {matchLabels: {app: " +
                  app + "}}}]}}}}");
}

Pod On(const std::string& node, Pod pod) {
  pod.spec.node_name = node;
  return pod;
}

class InFlightPodsTest : public ::testing::Test {
 protected:
  InFlightPodsTest() { Use({.max_wait = hours(1), .deadline = hours(1)}); }

  void Use(InFlightPods::Options options) {
    pods_ = std::make_unique<InFlightPods>(store_, metrics_, options);
  }

  absl::StatusOr<InFlightPods::Question> Ask(const Pod& pod,
                                             const std::string& group = "") {
    return pods_->Ask(std::make_shared<const PodInfo>(pod), group);
  }
  InFlightPods::Question MustAsk(const Pod& pod) {
    absl::StatusOr<InFlightPods::Question> question = Ask(pod);
    EXPECT_TRUE(question.ok()) << question.status();
    return *std::move(question);
  }
  void Assume(const Pod& pod, const std::string& node) {
    EXPECT_TRUE(MustAsk(pod).Assume(node).ok());
  }
  void Open(const Pod& pod) {
    EXPECT_TRUE(MustAsk(pod).OfferSeveral({"n1", "n2"}).ok());
  }

  InFlightPods::BindStart StartBind(const std::string& name,
                                    const std::string& node) {
    return pods_->StartBind(Key(name), "uid-" + name, node);
  }
  void Bind(const std::string& name, const std::string& node) {
    const InFlightPods::BindStart start = StartBind(name, node);
    EXPECT_EQ(start.kind, Kind::kStarted) << start.message;
    pods_->EndBind(Key(name), start.ticket, Outcome::kWritten);
  }

  // Where the index has a pod: a node, "pending" or "unknown".
  std::string Where(const std::string& name) const {
    return store_.Read([&](const ClusterState& cluster) -> std::string {
      const StoredPod* pod = cluster.FindPod(Key(name));
      if (pod == nullptr) return "unknown";
      return pod->node() == nullptr ? "pending" : pod->node()->Name();
    });
  }

  // Asks about a pod on another thread, and acts once it waits.
  template <typename Act>
  absl::Status AskWhile(const Pod& pod, Act act) {
    std::future<absl::Status> asked =
        std::async(std::launch::async, [&] { return Ask(pod).status(); });
    EXPECT_EQ(asked.wait_for(milliseconds(50)), std::future_status::timeout);
    act();
    return asked.get();
  }

  ClusterStore store_;
  Metrics metrics_;
  std::unique_ptr<InFlightPods> pods_;
};

TEST_F(InFlightPodsTest, NobodyWaitsForAPlacementThatIsKnown) {
  pods_->Upsert(Alone("q"));
  Assume(Alone("q"), "n1");
  EXPECT_EQ(Where("q"), "n1");
  MustAsk(Alone("p"));
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_in_flight_wait_seconds_count 0"));
}

TEST_F(InFlightPodsTest, AQuestionWaitsForABindThatMatters) {
  pods_->Upsert(Alone("q"));
  Open(Alone("q"));
  MustAsk(Alone("other", "db"));
  EXPECT_TRUE(AskWhile(Alone("p"), [&] { Bind("q", "n1"); }).ok());
  EXPECT_EQ(Where("q"), "n1");
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_in_flight_wait_seconds_count 1"));
}

TEST_F(InFlightPodsTest, AQuestionWaitsForTheWatch) {
  Open(Alone("q"));
  EXPECT_TRUE(
      AskWhile(Alone("p"), [&] { pods_->Upsert(On("n1", Alone("q"))); }).ok());
  Open(Alone("q2"));
  EXPECT_TRUE(
      AskWhile(Alone("p"), [&] { pods_->Remove(Key("q2"), "uid-q2"); }).ok());
}

TEST_F(InFlightPodsTest, AQuestionWaitsForTheEndOfAnEarlierPodOfThatName) {
  Pod earlier = On("n1", Alone("q"));
  earlier.meta.uid = "earlier";
  pods_->Upsert(earlier);
  EXPECT_TRUE(
      AskWhile(Alone("q"), [&] { pods_->Remove(Key("q"), "earlier"); }).ok());
  // Which has not come to an end if nobody says so.
  Use({.max_wait = milliseconds(20), .deadline = hours(1)});
  pods_->Upsert(earlier);
  EXPECT_THAT(std::string(Ask(Alone("q")).status().message()),
              HasSubstr("another pod of that name is on node \"n1\""));
  EXPECT_EQ(Where("q"), "n1");
}

TEST_F(InFlightPodsTest, AnAnswerAboutAnotherPodThanTheWatchShowsIsNone) {
  pods_->Upsert(Alone("q"));
  Assume(Alone("q", "db"), "n1");
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kNoAnswer);
  EXPECT_EQ(Where("q"), "pending");
  Assume(Alone("q"), "n1");
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kStarted);
}

TEST_F(InFlightPodsTest, APodCanBeShownBeforeTheWatchTellsOfIt) {
  const auto start = [this] {
    return pods_->StartBind(Key("q"), "uid-q", "n1", nullptr, true).kind;
  };
  Assume(Alone("q"), "n1");
  EXPECT_EQ(start(), Kind::kNotShown);
  pods_->Show(Alone("q", "db"));
  EXPECT_EQ(start(), Kind::kNoAnswer);
  pods_->Remove(Key("q"), "uid-q");
  Assume(Alone("q"), "n1");
  Pod other = Alone("q");
  other.meta.uid = "other";
  pods_->Show(other);
  EXPECT_EQ(start(), Kind::kNotShown);
  pods_->Show(Alone("q"));
  EXPECT_EQ(start(), Kind::kStarted);
  // The watch knows better.
  pods_->Upsert(On("n2", Alone("q")));
  pods_->Show(Alone("q"));
  EXPECT_EQ(Where("q"), "n2");
}

TEST_F(InFlightPodsTest, AQuestionWaitsForAnotherBeingAnswered) {
  std::optional<InFlightPods::Question> first(MustAsk(Alone("q")));
  EXPECT_TRUE(AskWhile(Alone("p"), [&] { first.reset(); }).ok());
  std::optional<InFlightPods::Question> second(MustAsk(Alone("q")));
  EXPECT_TRUE(AskWhile(Alone("p"), [&] {
                EXPECT_TRUE(second->Assume("n1").ok());
              }).ok());
}

TEST_F(InFlightPodsTest, WaitingInVainEndsInAnErrorThatNamesThePod) {
  Use({.max_wait = milliseconds(20), .deadline = hours(1)});
  Open(Alone("q"));
  const absl::Status status = Ask(Alone("p")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message(),
            "the place of pod default/q matters and is not known: it was "
            "offered several nodes and is not bound yet");
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_in_flight_wait_timeouts_total 1"));
  // The pod that asked in vain is not in the way of others.
  Bind("q", "n1");
  MustAsk(Alone("r"));
}

TEST_F(InFlightPodsTest, ADeadlineThatPassesIsAnErrorForWhoWaited) {
  Use({.max_wait = milliseconds(80), .deadline = milliseconds(40)});
  Open(Alone("q"));
  EXPECT_EQ(Ask(Alone("p")).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_in_flight_expirations_total 1"));
  MustAsk(Alone("p"));
  // A bind that comes after all must be asked about first.
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kNoAnswer);
}

TEST_F(InFlightPodsTest, AskingAgainTakesTheEarlierAnswerBack) {
  pods_->Upsert(Alone("q"));
  Assume(Alone("q"), "n1");
  {
    const InFlightPods::Question again = MustAsk(Alone("q"));
    EXPECT_EQ(Where("q"), "pending");
  }
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kNoAnswer);
}

TEST_F(InFlightPodsTest, AnOvertakenQuestionMustNotBeAnswered) {
  InFlightPods::Question first = MustAsk(Alone("q"));
  InFlightPods::Question second = MustAsk(Alone("q"));
  EXPECT_EQ(first.Assume("n1").code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(second.Assume("n2").ok());
  EXPECT_EQ(Where("q"), "n2");
}

TEST_F(InFlightPodsTest, AQuestionAboutABoundPodIsAnError) {
  Assume(Alone("q"), "n1");
  Bind("q", "n1");
  EXPECT_EQ(Ask(Alone("q")).status().message(),
            "the pod is bound to node \"n1\" already");
  pods_->Upsert(On("n1", Alone("q")));
  EXPECT_EQ(Ask(Alone("q")).status().message(),
            "the pod is bound to node \"n1\" already");
}

TEST_F(InFlightPodsTest, AQuestionDoesNotWaitForThePodsOwnBind) {
  Assume(Alone("q"), "n1");
  const InFlightPods::BindStart start = StartBind("q", "n1");
  EXPECT_EQ(Ask(Alone("q")).status().message(),
            "a binding of the pod to node \"n1\" is still being written");
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kRefused);
  pods_->EndBind(Key("q"), start.ticket, Outcome::kRefused);
  MustAsk(Alone("q"));
}

TEST_F(InFlightPodsTest, ADeadlinePassesWithoutAQuestion) {
  pods_->Upsert(Alone("q"));
  pods_->Upsert(Alone("waits"));
  std::promise<std::string> told;
  pods_ = nullptr;
  pods_ = std::make_unique<InFlightPods>(
      store_, metrics_, InFlightPods::Options{.deadline = milliseconds(50)},
      [&](const InFlightLedger::AssumedPod& ended,
          const std::vector<std::shared_ptr<const PodInfo>>& refused) {
        ASSERT_EQ(refused.size(), 1u);
        told.set_value(ended.pod->pod.meta.name + " " + ended.node + " " +
                       refused[0]->pod.meta.name);
      });
  EXPECT_TRUE(MustAsk(Alone("waits")).OfferNone().ok());
  Assume(Alone("q"), "n1");
  EXPECT_EQ(told.get_future().get(), "q n1 waits");
  EXPECT_EQ(Where("q"), "pending");
}

TEST_F(InFlightPodsTest, AnAnswerIsCheckedWhileNothingChanges) {
  pods_->Upsert(Alone("q"));
  EXPECT_EQ(MustAsk(Alone("q"))
                .AssumeIf("n1",
                          [](const ClusterState&) {
                            return absl::AbortedError("no");
                          })
                .message(),
            "no");
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_TRUE(
      MustAsk(Alone("q"))
          .AssumeIf("n1", [](const ClusterState&) { return absl::OkStatus(); })
          .ok());
  EXPECT_EQ(Where("q"), "n1");
}

TEST_F(InFlightPodsTest, ABindMayBeRepeated) {
  Assume(Alone("q"), "n1");
  Bind("q", "n1");
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kAlreadyBound);
  pods_->Upsert(On("n1", Alone("q")));
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kAlreadyBound);
  const InFlightPods::BindStart elsewhere = StartBind("q", "n2");
  EXPECT_EQ(elsewhere.kind, Kind::kRefused);
  EXPECT_EQ(elsewhere.message, "the pod is bound to node \"n1\" already");
}

TEST_F(InFlightPodsTest, ABindMustBeOfTheLatestAnswer) {
  pods_->Upsert(Alone("q"));
  EXPECT_EQ(StartBind("q", "n1").kind, Kind::kNoAnswer);
  Assume(Alone("q"), "n1");
  EXPECT_EQ(StartBind("q", "n2").kind, Kind::kRefused);
  EXPECT_EQ(pods_->StartBind(Key("q"), "another uid", "n1").kind,
            Kind::kNoAnswer);
}

TEST_F(InFlightPodsTest, ARefusedBindLeavesWhatTheApiHas) {
  pods_->Upsert(Alone("q"));
  Assume(Alone("q"), "n1");
  const InFlightPods::BindStart start = StartBind("q", "n1");
  pods_->EndBind(Key("q"), start.ticket, Outcome::kRefused);
  EXPECT_EQ(Where("q"), "pending");
}

TEST_F(InFlightPodsTest, ANewListKeepsWhatIsInFlight) {
  pods_->Upsert(Alone("gone"));
  Assume(Alone("gone"), "n1");
  Assume(Alone("fresh"), "n1");
  pods_->KeepListed({});
  EXPECT_EQ(Where("gone"), "unknown");
  EXPECT_EQ(Where("fresh"), "n1");
}

TEST_F(InFlightPodsTest, PodsWithoutUidLeaveNothingBehind) {
  Pod pod = Alone("q");
  pod.meta.uid.clear();
  Assume(pod, "n1");
  EXPECT_EQ(Where("q"), "unknown");
  Open(pod);
  MustAsk(Alone("p"));
}

TEST_F(InFlightPodsTest, SwitchedOffNothingIsEverInFlight) {
  Use({.enabled = false});
  pods_->Upsert(Alone("q"));
  Assume(Alone("q"), "n1");
  EXPECT_EQ(Where("q"), "pending");
  Open(Alone("q"));
  MustAsk(Alone("p"));
  Bind("q", "n1");
  EXPECT_EQ(Where("q"), "pending");
}

// For ThreadSanitizer; and at the end everything is where it was bound.
TEST_F(InFlightPodsTest, ManyThreadsAskBindAndWatch) {
  constexpr int kThreads = 4;
  constexpr int kPods = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPods; ++i) {
        const std::string name =
            "p" + std::to_string(t) + "-" + std::to_string(i);
        pods_->Upsert(Alone(name));
        absl::StatusOr<InFlightPods::Question> question = Ask(Alone(name));
        ASSERT_TRUE(question.ok()) << question.status();
        const bool open = i % 2 == 0;
        ASSERT_TRUE(
            (open ? question->OfferSeveral({"n1"}) : question->Assume("n1"))
                .ok());
        Bind(name, "n1");
        pods_->Upsert(On("n1", Alone(name)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_.Read([](const ClusterState& cluster) {
    return cluster.pod_count();
  }),
            kThreads * kPods);
  EXPECT_THAT(metrics_.Render(), HasSubstr("vicinal_in_flight_pods 0"));
}

TEST_F(InFlightPodsTest, AGroupThatIsAskedAboutAgainDoesNotMeetItsOwnGhosts) {
  for (const char* name : {"a", "b", "c"}) pods_->Upsert(Alone(name));
  const std::string group = "default/g";
  EXPECT_TRUE(Ask(Alone("a"), group)->Assume("n1").ok());
  EXPECT_TRUE(Ask(Alone("b"), group)->Assume("n2").ok());
  EXPECT_TRUE(Ask(Alone("c"), group)->OfferNone().ok());
  Assume(Alone("other", "db"), "n1");
  // Given up, and tried again in another order.
  EXPECT_TRUE(Ask(Alone("b"), group)->Assume("n1").ok());
  EXPECT_EQ(Where("a"), "pending");
  EXPECT_EQ(Where("other"), "n1");
  EXPECT_TRUE(Ask(Alone("c"), group)->Assume("n2").ok());
  EXPECT_TRUE(Ask(Alone("a"), group)->OfferNone().ok());
  EXPECT_EQ(Where("b"), "n1") << "of the same try";
  EXPECT_EQ(Where("c"), "n2") << "of the same try";
}

TEST_F(InFlightPodsTest, AMemberWhoseFailureIsSeenBelongsToItsGroupsNextTry) {
  for (const char* name : {"a", "b"}) pods_->Upsert(Alone(name));
  EXPECT_TRUE(Ask(Alone("a"), "default/g")->Assume("n1").ok());
  EXPECT_TRUE(Ask(Alone("b"), "default/g")->OfferNone().ok());
  // The group is given up; the condition of one has been written.
  Pod failed = Alone("a");
  failed.status.scheduling_failure = 1;
  pods_->Upsert(failed);
  EXPECT_EQ(Where("a"), "pending");
  EXPECT_TRUE(Ask(failed, "default/g")->Assume("n1").ok());
  EXPECT_TRUE(Ask(Alone("b"), "default/g").ok());
  EXPECT_EQ(Where("a"), "n1") << "of the same try";
}

TEST_F(InFlightPodsTest, AMemberThatIsBeingBoundStaysWhenItsGroupIsAskedAbout) {
  for (const char* name : {"a", "b"}) pods_->Upsert(Alone(name));
  EXPECT_TRUE(Ask(Alone("a"), "default/g")->Assume("n1").ok());
  EXPECT_TRUE(Ask(Alone("b"), "default/g")->Assume("n2").ok());
  EXPECT_EQ(StartBind("a", "n1").kind, Kind::kStarted);
  EXPECT_TRUE(Ask(Alone("b"), "default/g").ok());
  EXPECT_EQ(Where("a"), "n1");
}

TEST_F(InFlightPodsTest, AMemberDoesNotWaitForAnotherThatWasOfferedSeveral) {
  for (const char* name : {"a", "b"}) pods_->Upsert(Alone(name));
  EXPECT_TRUE(Ask(Alone("a"), "default/g")->OfferSeveral({"n1", "n2"}).ok());
  const absl::Status refused = Ask(Alone("b"), "default/g").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("default/a"));
  EXPECT_TRUE(Ask(Alone("c", "db"), "default/g").ok()) << "a does not matter";
}

}  // namespace
}  // namespace vicinal
