#include "core/engine/in_flight_ledger.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/index/stored_pod.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using std::chrono::seconds;
using Outcome = InFlightLedger::BindOutcome;
using State = InFlightLedger::State;

constexpr seconds kDeadline(60);
constexpr seconds kUnseen(2);

ObjectKey Key(const std::string& name) { return {"default", name}; }

// A pod that may not be beside another of its app, with the uid uid-<name>.
Pod Alone(const std::string& name, const std::string& app,
          const std::string& status = "{}") {
  return ParsePod("{metadata: {namespace: default, name: " + name +
                  ", uid: uid-" + name + ", labels: {app: " + app +
                  "}}, spec: {affinity: {podAntiAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: "
                  "[{topologyKey: zone, labelSelector: {matchLabels: {app: " +
                  app + "}}}]}}}, status: " + status + "}");
}

Pod On(const std::string& node, Pod pod) {
  pod.spec.node_name = node;
  return pod;
}

Pod WithUid(const std::string& uid, Pod pod) {
  pod.meta.uid = uid;
  return pod;
}

std::string Failed(const std::string& message) {
  return "{conditions: [{type: PodScheduled, status: 'False', message: " +
         message + "}]}";
}

Pod Version(std::uint64_t version, Pod pod) {
  pod.resource_version = version;
  return pod;
}

class InFlightLedgerTest : public ::testing::Test {
 protected:
  InFlightLedgerTest() {
    for (const char* node : {"n1", "n2"}) AddNode(cluster_, node);
  }

  InFlightLedger::Ticket Ask(Pod pod) {
    return ledger_.Ask(std::make_shared<const PodInfo>(std::move(pod)),
                       cluster_);
  }
  void Assume(Pod pod, const std::string& node) {
    ledger_.Assume(Ask(std::move(pod)), node, now_, cluster_);
  }

  // An event of the watch.
  void Changed(const Pod& pod) {
    InFlightLedger::Observation seen = ledger_.Observe(pod, now_);
    if (seen.put) cluster_.Upsert(*std::move(seen.put));
    ended_ = seen.ended.has_value();
  }
  void Deleted(const Pod& pod) {
    const ObjectKey key = KeyOf(pod.meta);
    if (ledger_.ObserveDeleted(key, pod.meta.uid)) cluster_.Remove<Pod>(key);
  }
  void Unlisted(const std::string& name) {
    if (ledger_.ObserveUnlisted(Key(name), now_)) {
      cluster_.Remove<Pod>(Key(name));
    }
  }

  // Where the index has a pod: a node, "pending" or "unknown".
  std::string Where(const std::string& name) const {
    const StoredPod* pod = cluster_.FindPod(Key(name));
    if (pod == nullptr) return "unknown";
    return pod->node() == nullptr ? "pending" : pod->node()->Name();
  }
  // The name of the pod that a question waits for.
  std::string Blocker(InFlightLedger::Ticket ticket) const {
    const auto* blocker = ledger_.BlockerOf(ticket, cluster_);
    return blocker == nullptr ? "" : blocker->pod->pod.meta.name;
  }
  bool InFlight(const std::string& name) const {
    return ledger_.Find(Key(name)) != nullptr;
  }

  ClusterState cluster_;
  InFlightLedger ledger_{{kDeadline, kUnseen}};
  InFlightLedger::TimePoint now_{};
  bool ended_ = false;  // By the last event.
};

TEST_F(InFlightLedgerTest, AKnownPlacementIsInTheIndexAtOnce) {
  Changed(Alone("q", "web"));
  Assume(Alone("q", "web"), "n1");
  EXPECT_EQ(Where("q"), "n1");
  // Nobody waits for it.
  EXPECT_EQ(Blocker(Ask(Alone("p", "web"))), "");
}

TEST_F(InFlightLedgerTest, AnOpenPlacementHoldsUpWhatDependsOnIt) {
  ledger_.OfferSeveral(Ask(Alone("q", "web")), {"n1", "n2"}, now_);
  EXPECT_EQ(Blocker(Ask(Alone("p", "web"))), "q");
  EXPECT_EQ(Blocker(Ask(Alone("r", "db"))), "");
}

TEST_F(InFlightLedgerTest, AQuestionBeingAnsweredHoldsUpLaterOnes) {
  const auto first = Ask(Alone("q", "web"));
  const auto second = Ask(Alone("p", "web"));
  EXPECT_EQ(Blocker(second), "q");
  EXPECT_EQ(Blocker(first), "");
  ledger_.Withdraw(first);
  EXPECT_EQ(Blocker(second), "");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, ALaterQuestionAboutAPodOvertakesAnEarlier) {
  const auto first = Ask(Alone("q", "web"));
  const auto second = Ask(Alone("q", "web"));
  EXPECT_FALSE(ledger_.IsCurrent(first));
  EXPECT_TRUE(ledger_.IsCurrent(second));
  EXPECT_EQ(ledger_.size(), 1u);
}

TEST_F(InFlightLedgerTest, ABindSettlesAnOpenPlacement) {
  Changed(Alone("q", "web"));
  ledger_.OfferSeveral(Ask(Alone("q", "web")), {"n1", "n2"}, now_);
  const auto p = Ask(Alone("p", "web"));
  const auto bind = ledger_.StartBind(Key("q"), "n2", cluster_);
  EXPECT_EQ(Where("q"), "n2");
  EXPECT_EQ(Blocker(p), "");
  ledger_.EndBind(Key("q"), bind, Outcome::kWritten, cluster_);
  EXPECT_EQ(ledger_.Find(Key("q"))->state, State::kBound);
  Changed(On("n2", Alone("q", "web")));
  EXPECT_FALSE(InFlight("q"));
  EXPECT_EQ(Where("q"), "n2");
}

TEST_F(InFlightLedgerTest, ARefusedBindTakesThePodOffItsNode) {
  Changed(Alone("q", "web"));
  Assume(Alone("q", "web"), "n1");
  const auto bind = ledger_.StartBind(Key("q"), "n1", cluster_);
  ledger_.EndBind(Key("q"), bind, Outcome::kRefused, cluster_);
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, TheWatchMayBeFasterThanTheAnswerToTheBind) {
  Assume(Alone("q", "web"), "n1");
  const auto bind = ledger_.StartBind(Key("q"), "n1", cluster_);
  Changed(On("n1", Alone("q", "web")));
  ledger_.EndBind(Key("q"), bind, Outcome::kRefused, cluster_);
  EXPECT_EQ(Where("q"), "n1");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, EventsOfAPlacedPodDoNotUndoIt) {
  for (const bool bound : {false, true}) {
    Assume(Alone("q", "web"), "n1");
    if (bound) {
      const auto bind = ledger_.StartBind(Key("q"), "n1", cluster_);
      ledger_.EndBind(Key("q"), bind, Outcome::kWritten, cluster_);
    }
    Changed(Alone("q", "changed"));
    EXPECT_EQ(Where("q"), "n1");
    EXPECT_EQ(*cluster_.FindPod(Key("q"))->FindLabel("app"), "changed");
    ledger_.Forget(Key("q"), cluster_);
    EXPECT_EQ(Where("q"), "pending");
  }
}

TEST_F(InFlightLedgerTest, TheWatchIsRightAboutTheNode) {
  Assume(Alone("q", "web"), "n1");
  Changed(On("n2", Alone("q", "web")));
  EXPECT_EQ(Where("q"), "n2");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, AFailedAttemptEndsTheFlight) {
  const std::string failed =
      "{conditions: [{type: PodScheduled, status: 'False'}]}";
  Changed(Alone("q", "web"));
  Assume(Alone("q", "web"), "n1");
  Changed(Alone("q", "web", failed));
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_FALSE(InFlight("q"));
  // That an earlier attempt failed was known to who asked, and says nothing.
  Assume(Alone("q", "web", failed), "n1");
  Changed(Alone("q", "web", failed));
  EXPECT_EQ(Where("q"), "n1");
}

TEST_F(InFlightLedgerTest, AFailureDoesNotEndAQuestionOrABind) {
  const std::string failed =
      "{conditions: [{type: PodScheduled, status: 'False'}]}";
  const auto ticket = Ask(Alone("q", "web"));
  Changed(Alone("q", "web", failed));
  EXPECT_TRUE(ledger_.IsCurrent(ticket));
  ledger_.Assume(ticket, "n1", now_, cluster_);
  ledger_.StartBind(Key("q"), "n1", cluster_);
  Changed(Alone("q", "web", failed));
  EXPECT_EQ(Where("q"), "n1");
}

TEST_F(InFlightLedgerTest, ANominationTellsWhereAnOpenPodGoes) {
  ledger_.OfferSeveral(Ask(Alone("q", "web")), {"n1", "n2"}, now_);
  const auto p = Ask(Alone("p", "web"));
  Changed(Alone("q", "web", "{nominatedNodeName: n2}"));
  EXPECT_EQ(Where("q"), "n2");
  EXPECT_EQ(Blocker(p), "");
}

TEST_F(InFlightLedgerTest, ANominationForPreemptionDoesNot) {
  ledger_.OfferSeveral(Ask(Alone("q", "web",
                                 "{conditions: [{type: PodScheduled, status: "
                                 "'False'}]}")),
                       {"n1", "n2"}, now_);
  const auto p = Ask(Alone("p", "web"));
  Changed(Alone("q", "web",
                "{nominatedNodeName: n2, conditions: [{type: PodScheduled, "
                "status: 'False'}]}"));
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_EQ(Blocker(p), "q");
}

TEST_F(InFlightLedgerTest, DeletionEndsTheFlight) {
  Changed(Alone("q", "web"));
  Assume(Alone("q", "web"), "n1");
  Deleted(Alone("q", "web"));
  EXPECT_EQ(Where("q"), "unknown");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, FinishedPodsAreNotInFlight) {
  Assume(Alone("q", "web"), "n1");
  Changed(Alone("q", "web", "{phase: Failed}"));
  EXPECT_EQ(Where("q"), "unknown");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, OldNewsOfAnEarlierPodOfThatNameIsIgnored) {
  const Pod old = WithUid("old", Alone("q", "web"));
  Changed(On("n1", old));
  Assume(Alone("q", "web"), "n2");
  EXPECT_EQ(Where("q"), "n2");
  Changed(On("n1", old));
  EXPECT_EQ(Where("q"), "n2");
  Deleted(old);
  EXPECT_EQ(Where("q"), "n2");
  Changed(Alone("q", "web"));
  EXPECT_EQ(Where("q"), "n2");
  // From now on another uid is a later pod's.
  Changed(WithUid("new", Alone("q", "web")));
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, AnEarlierPodOfThatNameCountsUntilItIsReplaced) {
  const Pod old = WithUid("old", Alone("q", "web"));
  Changed(On("n1", old));
  ledger_.OfferSeveral(Ask(Alone("q", "web")), {"n1", "n2"}, now_);
  Changed(On("n1", old));
  EXPECT_EQ(Where("q"), "n1");
  Deleted(old);
  EXPECT_EQ(Where("q"), "unknown");
  EXPECT_TRUE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, AListMayBeOlderThanAnAssumedPod) {
  Assume(Alone("q", "web"), "n1");
  Unlisted("q");
  EXPECT_EQ(Where("q"), "n1");
  // A pod that the watch had told of is gone.
  Changed(Alone("q", "web"));
  Unlisted("q");
  EXPECT_EQ(Where("q"), "unknown");
  EXPECT_FALSE(InFlight("q"));
}

TEST_F(InFlightLedgerTest, AnUnlistedBoundPodHasUntilTheDeadlineToAppear) {
  Assume(Alone("q", "web"), "n1");
  const auto bind = ledger_.StartBind(Key("q"), "n1", cluster_);
  ledger_.EndBind(Key("q"), bind, Outcome::kWritten, cluster_);
  now_ += 2 * kDeadline;
  ledger_.Expire(now_, cluster_);
  EXPECT_EQ(Where("q"), "n1");  // Bound pods do not expire.
  Unlisted("q");
  EXPECT_EQ(Where("q"), "n1");
  now_ += kDeadline;
  ledger_.Expire(now_, cluster_);
  EXPECT_EQ(Where("q"), "unknown");
}

TEST_F(InFlightLedgerTest, WhatPassesTheDeadlineIsForgotten) {
  Changed(Alone("q", "web"));
  Changed(Alone("r", "db"));
  Assume(Alone("q", "web"), "n1");
  now_ += seconds(1);
  ledger_.OfferSeveral(Ask(Alone("r", "db")), {"n1", "n2"}, now_);
  now_ += kDeadline - seconds(1);
  const auto expired = ledger_.Expire(now_, cluster_);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].pod->pod.meta.name, "q");
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_TRUE(InFlight("r"));
  EXPECT_GT(ledger_.first_expiry(), now_);
  now_ += seconds(1);
  EXPECT_LE(ledger_.first_expiry(), now_);
  EXPECT_EQ(ledger_.Expire(now_, cluster_).size(), 1u);
  EXPECT_EQ(ledger_.size(), 0u);
}

TEST_F(InFlightLedgerTest, NeitherAQuestionNorABindExpires) {
  Ask(Alone("q", "web"));
  Assume(Alone("r", "db"), "n1");
  ledger_.StartBind(Key("r"), "n1", cluster_);
  EXPECT_TRUE(ledger_.Expire(now_ + 2 * kDeadline, cluster_).empty());
  EXPECT_EQ(ledger_.size(), 2u);
}

TEST_F(InFlightLedgerTest, APodThatIsForgottenBeforeTheWatchToldOfItIsGone) {
  Assume(Alone("q", "web"), "n1");
  ledger_.Forget(Key("q"), cluster_);
  EXPECT_EQ(Where("q"), "unknown");
}

TEST_F(InFlightLedgerTest, AnAnswerAboutAPodThatTheWatchShowsOtherwise) {
  const Pod real = Alone("q", "web");
  const Pod forged = Alone("q", "db");
  Changed(real);
  Assume(forged, "n1");
  EXPECT_TRUE(ledger_.Find(Key("q"))->disputed);
  // What was forged does not become what the watch has shown.
  ledger_.Forget(Key("q"), cluster_);
  EXPECT_TRUE(cluster_.FindPod(Key("q"))->IsLike(real));
  EXPECT_EQ(Where("q"), "pending");
  ledger_.OfferSeveral(Ask(forged), {"n1", "n2"}, now_);
  EXPECT_TRUE(ledger_.Find(Key("q"))->disputed);
  Changed(forged);  // It was the newer one.
  EXPECT_FALSE(ledger_.Find(Key("q"))->disputed);
  Changed(real);
  EXPECT_TRUE(ledger_.Find(Key("q"))->disputed);
}

TEST_F(InFlightLedgerTest, AnAnswerAboutThePodAsItIsIsNotDisputed) {
  Assume(Alone("q", "web"), "n1");
  EXPECT_FALSE(ledger_.Find(Key("q"))->watched);
  Changed(Alone("q", "web"));
  EXPECT_TRUE(ledger_.Find(Key("q"))->confirmed());
  Changed(Alone("p", "web"));
  Assume(Alone("p", "web"), "n1");
  EXPECT_TRUE(ledger_.Find(Key("p"))->confirmed());
}

TEST_F(InFlightLedgerTest, ADisputedPlaceIsHeldAsBrieflyAsAnUnseenOne) {
  Changed(Alone("q", "web"));
  Assume(Alone("q", "db"), "n1");
  now_ += kUnseen;
  EXPECT_EQ(ledger_.Expire(now_, cluster_).size(), 1u);
  EXPECT_EQ(Where("q"), "pending");
  Assume(Alone("q", "db"), "n1");
  Changed(Alone("q", "db"));  // The watch was behind.
  now_ += kUnseen;
  EXPECT_TRUE(ledger_.Expire(now_, cluster_).empty());
  EXPECT_EQ(Where("q"), "n1");
}

TEST_F(InFlightLedgerTest, WhatWasAssumedUnderAnothersNameGivesItBack) {
  const Pod other = WithUid("other", Alone("q", "web"));
  Changed(On("n1", other));
  Assume(Alone("q", "web"), "n2");
  EXPECT_EQ(Where("q"), "n2");
  now_ += kUnseen;
  ledger_.Expire(now_, cluster_);
  EXPECT_EQ(Where("q"), "n1");
  EXPECT_EQ(cluster_.FindPod(Key("q"))->uid(), "other");
  // Unless that has gone meanwhile.
  Assume(Alone("q", "web"), "n2");
  Deleted(other);
  now_ += kUnseen;
  ledger_.Expire(now_, cluster_);
  EXPECT_EQ(Where("q"), "unknown");
}

TEST_F(InFlightLedgerTest, ABindMustBeOfTheAnswer) {
  Assume(Alone("q", "web"), "n1");
  EXPECT_TRUE(ledger_.Find(Key("q"))->MayBind("n1"));
  EXPECT_FALSE(ledger_.Find(Key("q"))->MayBind("n2"));
  ledger_.OfferSeveral(Ask(Alone("r", "db")), {"n2"}, now_);
  EXPECT_TRUE(ledger_.Find(Key("r"))->MayBind("n2"));
  EXPECT_FALSE(ledger_.Find(Key("r"))->MayBind("n1"));
  ledger_.OfferNone(Ask(Alone("r", "db")), now_);
  EXPECT_FALSE(ledger_.Find(Key("r"))->MayBind("n2"));
}

TEST_F(InFlightLedgerTest, AFailureThatSaysSomethingNewEndsTheFlight) {
  Changed(Alone("q", "web", Failed("one")));
  Assume(Alone("q", "web", Failed("one")), "n1");
  Changed(Alone("q", "web", Failed("one")));
  EXPECT_EQ(Where("q"), "n1");
  EXPECT_FALSE(ended_);
  Changed(Alone("q", "web", Failed("two")));
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_TRUE(ended_);
}

TEST_F(InFlightLedgerTest, AFailureFromBeforeTheQuestionEndsNothing) {
  Changed(Version(1, Alone("q", "web")));
  Assume(Version(3, Alone("q", "web", Failed("two"))), "n1");
  // The watch is behind the scheduler.
  Changed(Version(2, Alone("q", "web", Failed("one"))));
  EXPECT_EQ(Where("q"), "n1");
  Changed(Version(3, Alone("q", "web", Failed("two"))));
  EXPECT_EQ(Where("q"), "n1");
  now_ += kDeadline - seconds(1);
  EXPECT_TRUE(ledger_.Expire(now_, cluster_).empty());
  Changed(Version(4, Alone("q", "web", Failed("three"))));
  EXPECT_EQ(Where("q"), "pending");
  EXPECT_TRUE(ended_);
}

TEST_F(InFlightLedgerTest, ANominationFromBeforeTheQuestionPlacesNothing) {
  Changed(Version(1, Alone("q", "web")));
  ledger_.OfferSeveral(Ask(Version(3, Alone("q", "web"))), {"n1", "n2"}, now_);
  Changed(Version(2, Alone("q", "web", "{nominatedNodeName: n2}")));
  EXPECT_EQ(Where("q"), "pending");
}

TEST_F(InFlightLedgerTest, AFailureOfOneOfTwoAttemptsLeavesTimeForTheBind) {
  const auto ask_again = [this](const std::string& node) {
    const Pod pod = Version(1, Alone("q", "web"));
    ledger_.Forget(Key("q"), cluster_);
    ledger_.Assume(ledger_.Ask(std::make_shared<const PodInfo>(pod), cluster_,
                               "", /*asked_again=*/true),
                   node, now_, cluster_);
  };
  Changed(Version(1, Alone("q", "web")));
  Assume(Version(1, Alone("q", "web")), "n1");
  ask_again("n2");
  // Of the first attempt, it may be.
  const Pod failed = Version(2, Alone("q", "web", Failed("one")));
  Changed(failed);
  EXPECT_FALSE(ended_);
  EXPECT_EQ(Where("q"), "n2");
  Changed(Version(3, failed));  // For another reason.
  EXPECT_EQ(Where("q"), "n2");
  ledger_.StartBind(Key("q"), "n2", cluster_);
  now_ += kUnseen;
  EXPECT_TRUE(ledger_.Expire(now_, cluster_).empty());
  EXPECT_EQ(Where("q"), "n2");
}

TEST_F(InFlightLedgerTest, AFailureOfOneOfTwoAttemptsEndsWhatIsNotBoundSoon) {
  Changed(Version(1, Alone("q", "web")));
  const auto ticket = ledger_.Ask(
      std::make_shared<const PodInfo>(Version(1, Alone("q", "web"))), cluster_,
      "", /*asked_again=*/true);
  ledger_.Assume(ticket, "n2", now_, cluster_);
  Changed(Version(2, Alone("q", "web", Failed("one"))));
  EXPECT_EQ(Where("q"), "n2");
  now_ += kUnseen;
  EXPECT_EQ(ledger_.Expire(now_, cluster_).size(), 1u);
  EXPECT_EQ(Where("q"), "pending");
}

TEST_F(InFlightLedgerTest, ASecondFailureIsOfTheSecondAttempt) {
  Changed(Version(1, Alone("q", "web")));
  const auto ticket = ledger_.Ask(
      std::make_shared<const PodInfo>(Version(1, Alone("q", "web"))), cluster_,
      "", /*asked_again=*/true);
  ledger_.Assume(ticket, "n2", now_, cluster_);
  Changed(Version(2, Alone("q", "web", Failed("one"))));
  Changed(Version(3, Alone("q", "web", Failed("two"))));
  EXPECT_TRUE(ended_);
  EXPECT_EQ(Where("q"), "pending");
}

TEST_F(InFlightLedgerTest, APodTheWatchNeverShowsCountsForAShortTimeOnly) {
  Assume(Alone("ghost", "web"), "n1");
  Assume(Alone("seen", "db"), "n1");
  now_ += seconds(1);
  Changed(Alone("seen", "db"));
  now_ += kUnseen;
  EXPECT_EQ(ledger_.Expire(now_, cluster_).size(), 1u);
  EXPECT_EQ(Where("ghost"), "unknown");
  EXPECT_EQ(Where("seen"), "n1");
  now_ += kDeadline;
  EXPECT_EQ(ledger_.Expire(now_, cluster_).size(), 1u);
  EXPECT_EQ(Where("seen"), "pending");
}

TEST_F(InFlightLedgerTest, ANominationKeepsThePlaceForAsLongAsItStands) {
  Changed(Alone("q", "web"));
  Assume(Alone("q", "web"), "n1");
  Changed(Alone("q", "web", "{nominatedNodeName: n1}"));
  for (int i = 0; i < 3; ++i) {
    now_ += kDeadline;
    EXPECT_TRUE(ledger_.Expire(now_, cluster_).empty());
    EXPECT_EQ(Where("q"), "n1");
  }
  Changed(Alone("q", "web"));
  now_ += kDeadline;
  EXPECT_EQ(ledger_.Expire(now_, cluster_).size(), 1u);
  EXPECT_EQ(Where("q"), "pending");
}

TEST_F(InFlightLedgerTest, ARefusedPodIsRememberedAndNotInFlight) {
  Changed(Alone("q", "web"));
  ledger_.OfferNone(Ask(Alone("q", "web")), now_);
  ledger_.OfferNone(Ask(Alone("ghost", "web")), now_);
  EXPECT_EQ(ledger_.size(), 0u);
  EXPECT_EQ(ledger_.Refused().size(), 2u);
  now_ += 2 * kDeadline;
  EXPECT_TRUE(ledger_.Expire(now_, cluster_).empty());
  ASSERT_EQ(ledger_.Refused().size(), 1u);
  EXPECT_EQ(ledger_.Refused()[0]->pod.meta.name, "q");
  Deleted(Alone("q", "web"));
  EXPECT_TRUE(ledger_.Refused().empty());
}

}  // namespace
}  // namespace vicinal
