#include "server/state/second_looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/sync/mutex.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Clock = SecondLooks::Clock;
using Fit = SecondLooks::Fit;

class SecondLooksTest : public ::testing::Test {
 protected:
  static SecondLooks::Options Manual() {
    SecondLooks::Options options;
    options.by_itself = false;
    options.max_pods = 2;
    return options;
  }

  void Refuse(const std::string& name) {
    looks_.OnRefused(std::make_shared<const PodInfo>(ParsePod(
                         "{metadata: {namespace: default, name: " + name +
                         ", uid: uid-" + name + "}}")),
                     store_.generation(), now_);
  }

  void ClusterChanges() {
    store_.Write([](ClusterState&) {});
  }

  // Time passes, with all looks that are due in it.
  void Pass(milliseconds time) {
    const Clock::time_point end = now_ + time;
    for (Clock::time_point due = looks_.Look(now_); due <= end;) {
      now_ = std::max(now_, due);
      due = looks_.Look(now_);
    }
    now_ = end;
  }

  ClusterStore store_;
  Fit fit_ = Fit::kNone;  // What each look finds.
  int looked_ = 0;
  std::vector<std::string> retried_;
  Clock::time_point now_{std::chrono::hours(1)};
  SecondLooks looks_{
      store_,
      [this](const PodInfo&) {
        ++looked_;
        return fit_;
      },
      [this](const PodInfo& pod) { retried_.push_back(pod.pod.meta.name); },
      Manual()};
};

TEST_F(SecondLooksTest, NobodyLooksWhileNothingHasChanged) {
  Refuse("a");
  fit_ = Fit::kSome;
  Pass(milliseconds(60'000));
  EXPECT_EQ(looked_, 0);
  EXPECT_THAT(retried_, IsEmpty());
}

TEST_F(SecondLooksTest, APodThatFitsASecondLaterIsTriedAgain) {
  Refuse("a");
  ClusterChanges();
  fit_ = Fit::kSome;
  Pass(milliseconds(999));
  EXPECT_THAT(retried_, IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(retried_, ElementsAre("a"));
  Pass(milliseconds(300'000));
  EXPECT_THAT(retried_, ElementsAre("a")) << "once";
}

TEST_F(SecondLooksTest, AWatchThatIsManySecondsBehindIsWaitedFor) {
  Refuse("a");
  ClusterChanges();
  Pass(milliseconds(14'000));
  EXPECT_EQ(looked_, 1) << "nothing has changed since the first look";
  ClusterChanges();
  fit_ = Fit::kSome;
  Pass(milliseconds(2000));
  EXPECT_THAT(retried_, ElementsAre("a"));
}

TEST_F(SecondLooksTest, APodIsForgottenAfterTheLastLook) {
  Refuse("a");
  for (int i = 0; i < 20; ++i) {
    ClusterChanges();
    Pass(milliseconds(1000));
  }
  EXPECT_EQ(looked_, 5);
  EXPECT_EQ(looks_.Look(now_), Clock::time_point::max());
}

TEST_F(SecondLooksTest, APodThatFitsHereAndIsRefusedAllTheSameCostsOneAttempt) {
  fit_ = Fit::kSome;
  for (int i = 0; i < 100; ++i) {
    Refuse("a");
    ClusterChanges();
    Pass(milliseconds(2000));
  }
  EXPECT_THAT(retried_, ElementsAre("a"));
}

TEST_F(SecondLooksTest, APodThatHasLostItsPlaceOnceMoreIsTriedAgain) {
  Refuse("a");
  ClusterChanges();
  fit_ = Fit::kSome;
  Pass(milliseconds(2000));
  // Another pod was faster.
  ClusterChanges();
  fit_ = Fit::kNone;
  Refuse("a");
  Pass(milliseconds(500));
  ClusterChanges();
  fit_ = Fit::kSome;
  Pass(milliseconds(500));
  EXPECT_THAT(retried_, ElementsAre("a", "a"));
}

TEST_F(SecondLooksTest, APodThatIsBoundIsForgotten) {
  Refuse("a");
  ClusterChanges();
  fit_ = Fit::kGone;
  Pass(milliseconds(1000));
  EXPECT_THAT(retried_, IsEmpty());
  EXPECT_EQ(looks_.Look(now_), Clock::time_point::max());
}

TEST_F(SecondLooksTest, MoreThanTheMostAreNotRemembered) {
  for (const char* name : {"a", "b", "c"}) Refuse(name);
  ClusterChanges();
  fit_ = Fit::kSome;
  Pass(milliseconds(1000));
  EXPECT_THAT(retried_, ElementsAre("a", "b"));
}

TEST(SecondLooksThreadTest, LooksByItself) {
  ClusterStore store;
  Mutex mutex;
  CondVar changed;
  bool retried = false;
  SecondLooks::Options options;
  options.first = milliseconds(1);
  SecondLooks looks(
      store, [](const PodInfo&) { return Fit::kSome; },
      [&](const PodInfo&) {
        const MutexLock lock(mutex);
        retried = true;
        changed.NotifyAll();
      },
      options);
  looks.OnRefused(std::make_shared<const PodInfo>(ParsePod(
                      "{metadata: {namespace: default, name: a, uid: a}}")),
                  store.generation());
  store.Write([](ClusterState&) {});
  const MutexLock lock(mutex);
  while (!retried) changed.Wait(mutex);
}

}  // namespace
}  // namespace vicinal
