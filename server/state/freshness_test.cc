#include "server/state/freshness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace vicinal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Freshness::Clock::time_point kStart{hours(1)};

// "fresh", or why not.
std::string At(const Freshness& freshness, Freshness::Clock::time_point now) {
  const absl::Status status = freshness.Check(now);
  if (status.ok()) return "fresh";
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  return std::string(status.message());
}

TEST(FreshnessTest, WithoutResourcesItIsAlwaysFresh) {
  const Freshness freshness({}, seconds(0));
  EXPECT_EQ(At(freshness, kStart), "fresh");
}

TEST(FreshnessTest, IsNotFreshUntilEveryResourceIsListed) {
  Freshness freshness({"pods", "nodes"}, seconds(30));
  EXPECT_EQ(At(freshness, kStart),
            "nodes: not listed yet; pods: not listed yet");
  freshness.OnListed("nodes");
  EXPECT_EQ(At(freshness, kStart), "pods: not listed yet");
  freshness.OnListed("pods");
  EXPECT_EQ(At(freshness, kStart), "fresh");
  EXPECT_EQ(At(freshness, kStart + hours(24)), "fresh");
}

TEST(FreshnessTest, AConnectionAloneIsNoList) {
  Freshness freshness({"pods"}, seconds(30));
  freshness.OnConnected("pods");
  EXPECT_EQ(At(freshness, kStart), "pods: not listed yet");
  freshness.OnDisconnected("pods", kStart);
  EXPECT_EQ(At(freshness, kStart + hours(1)), "pods: not listed yet");
}

TEST(FreshnessTest, AnOutageIsBorneUpToItsBound) {
  Freshness freshness({"pods"}, seconds(30));
  freshness.OnListed("pods");
  freshness.OnDisconnected("pods", kStart);
  EXPECT_EQ(At(freshness, kStart), "fresh");
  EXPECT_EQ(At(freshness, kStart + seconds(30)), "fresh");
  EXPECT_EQ(At(freshness, kStart + seconds(30) + milliseconds(1)),
            "pods: disconnected for 30 s");
  EXPECT_EQ(At(freshness, kStart + seconds(95)), "pods: disconnected for 95 s");
}

TEST(FreshnessTest, FailedAttemptsDoNotStartTheOutageAnew) {
  Freshness freshness({"pods"}, seconds(30));
  freshness.OnListed("pods");
  for (int i = 0; i <= 31; ++i) {
    freshness.OnDisconnected("pods", kStart + seconds(i));
  }
  EXPECT_EQ(At(freshness, kStart + seconds(31)), "pods: disconnected for 31 s");
}

TEST(FreshnessTest, IsFreshAgainOnceConnected) {
  Freshness freshness({"pods"}, seconds(30));
  freshness.OnListed("pods");
  freshness.OnDisconnected("pods", kStart);
  EXPECT_NE(At(freshness, kStart + seconds(60)), "fresh");
  freshness.OnConnected("pods");
  EXPECT_EQ(At(freshness, kStart + seconds(60)), "fresh");
  freshness.OnDisconnected("pods", kStart + seconds(60));
  EXPECT_EQ(At(freshness, kStart + seconds(90)), "fresh");
  EXPECT_NE(At(freshness, kStart + seconds(91)), "fresh");
}

TEST(FreshnessTest, ANewListAloneDoesNotEndAnOutage) {
  Freshness freshness({"pods"}, seconds(30));
  freshness.OnListed("pods");
  freshness.OnDisconnected("pods", kStart);
  freshness.OnListed("pods");
  EXPECT_NE(At(freshness, kStart + seconds(31)), "fresh");
}

TEST(FreshnessTest, ResourcesAreJudgedOnTheirOwn) {
  Freshness freshness({"pods", "nodes", "services"}, seconds(30));
  freshness.OnListed("pods");
  freshness.OnListed("nodes");
  freshness.OnDisconnected("pods", kStart);
  freshness.OnDisconnected("nodes", kStart + seconds(10));
  EXPECT_EQ(At(freshness, kStart + seconds(35)),
            "pods: disconnected for 35 s; "
            "services: not listed yet");
  freshness.OnConnected("pods");
  freshness.OnListed("services");
  EXPECT_EQ(At(freshness, kStart + seconds(45)),
            "nodes: disconnected for 35 s");
}

TEST(FreshnessTest, MayBeCheckedWhileItChanges) {
  Freshness freshness({"pods"}, seconds(0));
  std::thread writer([&freshness] {
    for (int i = 0; i < 2000; ++i) {
      freshness.OnListed("pods");
      freshness.OnDisconnected("pods", kStart);
      freshness.OnConnected("pods");
    }
  });
  for (int i = 0; i < 2000; ++i) {
    const std::string answer = At(freshness, kStart + seconds(1));
    EXPECT_TRUE(answer == "fresh" || answer == "pods: not listed yet" ||
                answer == "pods: disconnected for 1 s")
        << answer;
  }
  writer.join();
  EXPECT_EQ(At(freshness, kStart + seconds(1)), "fresh");
}

TEST(FreshnessTest, TellsHowLongEachResourceHasBeenDisconnected) {
  const Freshness::Clock::time_point start;
  Freshness freshness({"nodes", "pods"}, std::chrono::seconds(30));
  freshness.OnListed("pods");
  freshness.OnDisconnected("pods", start);
  freshness.OnDisconnected("pods", start + std::chrono::seconds(5));
  auto outages = freshness.Outages(start + std::chrono::seconds(7));
  EXPECT_EQ(outages.at("pods"), std::chrono::seconds(7));
  EXPECT_EQ(outages.at("nodes"), std::chrono::seconds(0));
  freshness.OnConnected("pods");
  outages = freshness.Outages(start + std::chrono::seconds(9));
  EXPECT_EQ(outages.at("pods"), std::chrono::seconds(0));
}

}  // namespace
}  // namespace vicinal
