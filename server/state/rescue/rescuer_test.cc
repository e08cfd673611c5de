#include "server/state/rescue/rescuer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/plugins/plugin_config.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kNodes[] = R"(
apiVersion: v1
kind: NodeList
items:
- {metadata: {name: n1, labels: {host: n1}}, status: {allocatable: {pods: 9}}}
- {metadata: {name: n2, labels: {host: n2}}, status: {allocatable: {pods: 9}}}
- {metadata: {name: n3, labels: {host: n3}}, status: {allocatable: {pods: 9}}}
)";

// A pod that must be beside app=web by host.
Pod Waiting(const std::string& uid = "u1", const std::string& nominated = "") {
  Pod pod = ParsePod(R"(
    metadata: {name: waiting, namespace: default}
    spec:
      affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
        [{labelSelector: {matchLabels: {app: web}}, topologyKey: host}]}})");
  pod.meta.uid = uid;
  pod.status.nominated_node_name = nominated;
  return pod;
}

class RescuerTest : public ::testing::Test {
 protected:
  RescuerTest() {
    options_.min_sample = 2;
    options_.visible_after = hours(1);
    options_.interval = milliseconds(1);
    store_.Write([](ClusterState& cluster) { AddObjects(cluster, kNodes); });
    RunWeb("n3");
  }

  void Start() {
    rescuer_ = std::make_unique<Rescuer>(
        store_, metrics_, [this](const Pod&) { return &profile_; },
        [this](const Pod& pod, const std::string& node) {
          return OnNominate(pod, node);
        },
        options_);
  }

  absl::Status OnNominate(const Pod& pod, const std::string& node) {
    const std::lock_guard lock(mutex_);
    if (answer_.ok() && writes_) {
      Pod written = pod;
      written.status.nominated_node_name = node;
      Put(std::move(written));
    }
    nominated_.push_back(node);
    return answer_;
  }

  void Answer(absl::Status answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }

  std::vector<std::string> nominated() {
    const std::lock_guard lock(mutex_);
    return nominated_;
  }

  // The scheduler asks, and is answered as without a rescuer.
  void Ask(const Pod& pod, std::size_t offered) {
    EXPECT_TRUE(rescuer_->OnNothingFits(pod, offered).ok());
  }

  void RunWeb(const std::string& node) {
    store_.Write([&node](ClusterState& cluster) {
      AddPod(cluster, node,
             "{metadata: {name: web-" + node + ", labels: {app: web}}}");
    });
  }
  void Put(Pod pod) {
    store_.Write(
        [&pod](ClusterState& cluster) { cluster.Upsert(std::move(pod)); });
  }
  void Delete(const std::string& name) {
    store_.Write([&name](ClusterState& cluster) {
      cluster.Remove<Pod>({"default", name});
    });
  }
  void Bind(const std::string& node) {
    Pod pod = Waiting();
    pod.spec.node_name = node;
    Put(pod);
  }

  // {started, succeeded, abandoned}
  std::vector<int> Counts() {
    return {static_cast<int>(metrics_.rescues_started().Value()),
            static_cast<int>(metrics_.rescues_succeeded().Value()),
            static_cast<int>(metrics_.rescues_abandoned().Value())};
  }

  static bool Until(const std::function<bool()>& condition) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }
  bool UntilCounts(std::vector<int> counts) {
    return Until([&] { return Counts() == counts; });
  }
  bool UntilNominations(std::size_t count) {
    return Until([&] { return nominated().size() >= count; });
  }
  // Long enough for the rescuer to have looked at everything several times.
  static void Settle() { std::this_thread::sleep_for(milliseconds(50)); }

  const Profile profile_ = DefaultProfile(PluginConfig());
  RescuerOptions options_;
  ClusterStore store_;
  Metrics metrics_;
  std::mutex mutex_;
  std::vector<std::string> nominated_;  // Guarded by mutex_.
  absl::Status answer_;                 // Guarded by mutex_.
  bool writes_ = true;                  // A nomination gets into the store.
  std::unique_ptr<Rescuer> rescuer_;
};

TEST_F(RescuerTest, APodIsNominatedForTheBestNode) {
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  EXPECT_THAT(nominated(), ElementsAre("n3"));
  Settle();
  EXPECT_EQ(Counts(), (std::vector<int>{1, 0, 0}));
  Bind("n3");
  EXPECT_TRUE(UntilCounts({1, 1, 0}));
  EXPECT_THAT(nominated(), ElementsAre("n3"));
}

TEST_F(RescuerTest, ANominationIsAnErrorForWhoWantsToBeTriedAfterTheBackoff) {
  Put(Waiting());
  Start();
  EXPECT_TRUE(rescuer_->OnNothingFits(Waiting(), 2).ok());
  rescuer_.reset();
  options_.retry_after_backoff = true;
  Start();
  EXPECT_EQ(rescuer_->OnNothingFits(Waiting(), 2).message(),
            "fits none of the nodes asked about; nominated for n3, to be tried "
            "again after the backoff");
  rescuer_.reset();
  Delete("web-n3");
  Start();
  EXPECT_TRUE(rescuer_->OnNothingFits(Waiting(), 2).ok());
}

TEST_F(RescuerTest, APodThatFitsNowhereIsLeftAlone) {
  Delete("web-n3");
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  Settle();
  EXPECT_EQ(Counts(), (std::vector<int>{0, 0, 0}));
  EXPECT_FALSE(rescuer_->OnPreemption(Waiting()));
  EXPECT_THAT(nominated(), IsEmpty());
}

TEST_F(RescuerTest, FewerNodesThanASampleAreAllThereAre) {
  Start();
  Put(Waiting("u1", "n3"));
  Ask(Waiting(), 1);
  Settle();
  EXPECT_EQ(Counts(), (std::vector<int>{0, 0, 0}));
  EXPECT_THAT(nominated(), IsEmpty());
}

TEST_F(RescuerTest, APodWithoutAUidIsNoPodOfAnApiServer) {
  Start();
  Ask(Waiting(""), 2);
  Settle();
  EXPECT_THAT(nominated(), IsEmpty());
}

TEST_F(RescuerTest, ANominationThatWasClearedUnseenIsWrittenForTheNextAttempt) {
  writes_ = false;
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  Settle();
  EXPECT_THAT(nominated(), SizeIs(1));  // It may be on its way.
  Ask(Waiting(), 2);
  EXPECT_TRUE(UntilNominations(2));
}

TEST_F(RescuerTest, AnAttemptThatDidNotKnowOfTheNominationDoesNotCount) {
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  Ask(Waiting(), 2);
  EXPECT_TRUE(rescuer_->OnPreemption(Waiting()));
  Settle();
  EXPECT_THAT(nominated(), ElementsAre("n3"));
}

TEST_F(RescuerTest, ANominationThatWasVisibleAndIsClearedIsWrittenAgainAtOnce) {
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  Settle();
  Put(Waiting());
  EXPECT_TRUE(UntilNominations(2));
  EXPECT_THAT(nominated(), ElementsAre("n3", "n3"));
}

TEST_F(RescuerTest, APodIsRescuedOnceTheStoreHasIt) {
  options_.visible_after = milliseconds(10);
  Start();
  Ask(Waiting(), 2);
  EXPECT_THAT(nominated(), IsEmpty());
  Put(Waiting());
  EXPECT_TRUE(UntilNominations(1));
}

TEST_F(RescuerTest, APodIsRescuedByItsOwnRulesAndNotByTheQuestions) {
  Start();
  Pod real = Waiting();
  real.spec.node_selector.emplace().Set("disk", "none");
  Put(real);
  Ask(Waiting(), 2);
  Settle();
  EXPECT_THAT(nominated(), IsEmpty());
}

TEST_F(RescuerTest, ANominationThatDoesNotShowIsWrittenAgainOtherNodesFirst) {
  RunWeb("n1");
  options_.visible_after = milliseconds(5);
  options_.max_nominations = 3;
  writes_ = false;
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilCounts({1, 0, 1}));
  const std::vector<std::string> nodes = nominated();
  ASSERT_THAT(nodes, SizeIs(3));
  EXPECT_THAT((std::vector{nodes[0], nodes[1]}),
              UnorderedElementsAre("n1", "n3"));
}

TEST_F(RescuerTest, APodThatWasNominatedTooOftenRestsAndMayBePreemptedFor) {
  options_.visible_after = milliseconds(5);
  options_.max_nominations = 1;
  options_.rest = hours(1);
  writes_ = false;
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilCounts({1, 0, 1}));
  Ask(Waiting(), 2);
  Settle();
  EXPECT_FALSE(rescuer_->OnPreemption(Waiting()));
  EXPECT_THAT(nominated(), ElementsAre("n3"));
  EXPECT_EQ(Counts(), (std::vector<int>{1, 0, 1}));
}

TEST_F(RescuerTest, AfterItsRestAPodIsRescuedAgain) {
  options_.visible_after = milliseconds(5);
  options_.max_nominations = 1;
  options_.rest = milliseconds(1);
  writes_ = false;
  Start();
  Put(Waiting());
  EXPECT_TRUE(Until([this] {
    Ask(Waiting(), 2);
    return nominated().size() >= 2;
  }));
}

TEST_F(RescuerTest, AFailureAfterANominationStartsItAnew) {
  options_.visible_after = milliseconds(5);
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  Ask(Waiting("u1", "n3"), 2);
  EXPECT_TRUE(UntilNominations(2));
  Bind("n3");
  EXPECT_TRUE(UntilCounts({1, 1, 0}));
}

TEST_F(RescuerTest, WhatFitsNoNodeAnyMoreIsAbandonedAndItsNominationCleared) {
  options_.visible_after = milliseconds(5);
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  Delete("web-n3");
  Ask(Waiting("u1", "n3"), 2);
  EXPECT_TRUE(UntilCounts({1, 0, 1}));
  ASSERT_TRUE(UntilNominations(2));
  EXPECT_THAT(nominated(), ElementsAre("n3", ""));
}

TEST_F(RescuerTest, ADeletedPodIsAbandoned) {
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilCounts({1, 0, 0}));
  Settle();
  Delete("waiting");
  EXPECT_TRUE(UntilCounts({1, 0, 1}));
  Settle();
  EXPECT_FALSE(rescuer_->OnPreemption(Waiting()));
}

TEST_F(RescuerTest, APodThatAnotherOfItsNameReplacesIsAbandoned) {
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilCounts({1, 0, 0}));
  Settle();
  Put(Waiting("u2"));
  EXPECT_TRUE(UntilCounts({1, 0, 1}));
  EXPECT_TRUE(Until([this] {
    Ask(Waiting("u2"), 2);
    return Counts()[0] == 2;
  }));
}

TEST_F(RescuerTest, APodThatTheApiServerDoesNotHaveIsAbandoned) {
  options_.visible_after = milliseconds(5);
  Answer(absl::NotFoundError("no"));
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  EXPECT_TRUE(UntilCounts({1, 0, 1}));
  Answer(absl::AbortedError("another uid"));
  // Each question starts a rescue, once the last one has been abandoned.
  EXPECT_TRUE(Until([this] {
    Ask(Waiting(), 2);
    const std::vector<int> counts = Counts();
    return counts[0] >= 2 && counts[2] >= 2;
  }));
}

TEST_F(RescuerTest, AWriteThatFailsIsTriedAgain) {
  options_.visible_after = milliseconds(5);
  Answer(absl::UnavailableError("not now"));
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  Answer(absl::OkStatus());
  ASSERT_TRUE(UntilNominations(2));
  Bind("n3");
  EXPECT_TRUE(UntilCounts({1, 1, 0}));
}

TEST_F(RescuerTest, APodThatTheSchedulerNominatesItselfIsAbandoned) {
  options_.visible_after = milliseconds(5);
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  Put(Waiting("u1", "n2"));
  EXPECT_TRUE(UntilCounts({1, 0, 1}));
  Settle();
  EXPECT_THAT(nominated(), ElementsAre("n3"));
}

TEST_F(RescuerTest, APodThatIsNotTriedAgainIsAbandonedAndItsNominationCleared) {
  options_.visible_after = milliseconds(5);
  options_.attempt_timeout = milliseconds(20);
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  EXPECT_TRUE(UntilCounts({1, 0, 1}));
  ASSERT_TRUE(UntilNominations(2));
  EXPECT_THAT(nominated(), ElementsAre("n3", ""));
}

TEST_F(RescuerTest, NobodyIsEvictedForAPodThatIsBeingRescued) {
  Start();
  Put(Waiting());
  EXPECT_FALSE(rescuer_->OnPreemption(Waiting()));
  Ask(Waiting(), 2);
  EXPECT_TRUE(rescuer_->OnPreemption(Waiting()));
  EXPECT_FALSE(rescuer_->OnPreemption(Waiting("u2")));
  EXPECT_TRUE(UntilCounts({1, 0, 0}));
  Delete("web-n3");
  EXPECT_FALSE(rescuer_->OnPreemption(Waiting()));
  EXPECT_TRUE(UntilCounts({1, 0, 1}));
}

TEST_F(RescuerTest, EvictionsThatAreWantedAfterANominationCountAsAFailure) {
  options_.visible_after = milliseconds(5);
  options_.max_nominations = 2;
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilNominations(1));
  EXPECT_TRUE(rescuer_->OnPreemption(Waiting("u1", "n3")));
  ASSERT_TRUE(UntilNominations(2));
  EXPECT_TRUE(Until([this] {
    rescuer_->OnPreemption(Waiting("u1", "n3"));
    return Counts()[2] == 1;
  }));
  EXPECT_FALSE(rescuer_->OnPreemption(Waiting("u1", "n3")));
}

TEST_F(RescuerTest, OnlySoManyPodsAreLookedAfter) {
  options_.max_pods = 1;
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilCounts({1, 0, 0}));
  Pod other = Waiting("u2");
  other.meta.name = "other";
  Ask(other, 2);
  Settle();
  EXPECT_EQ(Counts(), (std::vector<int>{1, 0, 0}));
}

TEST_F(RescuerTest, ManyPodsAndThreadsAtOnce) {
  options_.visible_after = milliseconds(1);
  Start();
  constexpr int kThreads = 4;
  constexpr int kPods = 25;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kPods; ++i) {
        Pod pod = Waiting("u" + std::to_string(t) + "-" + std::to_string(i));
        pod.meta.name = pod.meta.uid;
        Put(pod);
        Ask(pod, 2);
        rescuer_->OnPreemption(pod);
        std::this_thread::sleep_for(milliseconds(i % 5));
        pod.spec.node_name = "n3";
        Put(pod);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Until([this] {
    return Counts()[0] > 0 && Counts()[0] == Counts()[1] + Counts()[2];
  }));
}

TEST_F(RescuerTest, ItStopsInTheMiddleOfARescue) {
  Start();
  Put(Waiting());
  Ask(Waiting(), 2);
  ASSERT_TRUE(UntilCounts({1, 0, 0}));
  rescuer_.reset();
  EXPECT_EQ(Counts(), (std::vector<int>{1, 0, 0}));
}

}  // namespace
}  // namespace vicinal
