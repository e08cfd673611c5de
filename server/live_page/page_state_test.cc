#include "server/live_page/page_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/decisions/decision_record.h"
#include "server/decisions/decision_ring.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr char kHostile[] = "</script><img src=x onerror=alert(1)>";

DecisionRecord Refusal(const std::string& name, const std::string& reason) {
  DecisionRecord decision;
  decision.namespace_name = "shop";
  decision.name = name;
  decision.reason = reason;
  return decision;
}

Picture OnePending(const std::string& name) {
  Picture picture;
  picture.pending_pods = 1;
  picture.pending_count = 1;
  PicturePending& pending = picture.pending.emplace_back();
  pending.workload = "shop/" + name;
  pending.pods = 1;
  pending.names = {"shop/" + name};
  return picture;
}

TEST(PageStateTest, TellsWhetherTheServiceIsReadyAndHowLateEachResourceIs) {
  const Json state = Json::parse(
      PageStateJson({"pods: disconnected for 7 s",
                     {{"nodes", {}}, {"pods", std::chrono::seconds(7)}}},
                    Picture(), {}));
  EXPECT_EQ(state["ready"], false);
  EXPECT_EQ(state["problem"], "pods: disconnected for 7 s");
  EXPECT_EQ(state["resources"],
            Json::parse(R"([{"name":"nodes","lateSeconds":0},
                            {"name":"pods","lateSeconds":7}])"));
  EXPECT_EQ(Json::parse(PageStateJson({}, Picture(), {}))["ready"], true);
}

TEST(PageStateTest, HasTheLastDecisionsTheNewestFirst) {
  DecisionRing ring(100);
  for (int i = 1; i <= 60; ++i) ring.Add(Refusal("p", "no"));
  const Json state = Json::parse(PageStateJson({}, Picture(), ring.All()));
  ASSERT_EQ(state["decisions"].size(), 50u);
  EXPECT_EQ(state["decisions"][0]["number"], 60);
}

TEST(PageStateTest, APendingPodHasItsLastDecision) {
  DecisionRing ring(10);
  ring.Add(Refusal("web", "old"));
  ring.Add(Refusal("web", "0/3 nodes are available"));
  ring.Add(Refusal("other", "other"));
  const Json state =
      Json::parse(PageStateJson({}, OnePending("web"), ring.All()));
  EXPECT_EQ(state["pending"][0]["lastDecision"]["reason"],
            "0/3 nodes are available");
  EXPECT_EQ(state["pending"][0]["lastDecision"]["number"], 2);
}

TEST(PageStateTest, NamesAreTextAndNothingElse) {
  const Json state = Json::parse(PageStateJson({}, OnePending(kHostile), {}));
  EXPECT_EQ(state["pending"][0]["workload"], absl::StrCat("shop/", kHostile));
  const Json broken =
      Json::parse(PageStateJson({}, OnePending("\xff\"\\"), {}));
  EXPECT_EQ(broken["pending"][0]["workload"], "shop/\xEF\xBF\xBD\"\\");
}

TEST(PageStateTest, WhatIsTooLongIsCut) {
  Picture picture = OnePending(std::string(100000, 'x'));
  picture.pending[0].message = std::string(100000, 'x');
  EXPECT_LT(PageStateJson({}, picture, {}).size(), 4000u);
}

TEST(PageStateTest, AWorkloadWithoutRoomForAllItsPlacesHasNone) {
  Picture picture;
  picture.workloads.resize(3);
  picture.workloads[0].cells.resize(19999);
  picture.workloads[1].cells.resize(2);
  picture.workloads[2].cells.resize(1);
  const Json state = Json::parse(PageStateJson({}, picture, {}));
  EXPECT_EQ(state["workloads"][0]["cells"].size(), 19999u);
  EXPECT_FALSE(state["workloads"][1].contains("cells"));
  EXPECT_EQ(state["workloads"][2]["cells"].size(), 1u);
}

// The largest that there can be: all names as long as they may be, and of bytes
// that JSON escapes.
TEST(PageStateTest, NoStateIsLargerThanItsBound) {
  const std::string name(300, '\x01');
  Picture picture;
  for (std::size_t i = 0; i < kMaxPictureZones; ++i) {
    PictureZone& zone = picture.zones.emplace_back();
    zone.region = zone.zone = name;
    for (int c = 0; c < 7; ++c) {
      zone.cells.push_back({name, name, 2, 1, 10});
    }
  }
  for (std::size_t i = 0; i < kMaxPictureWorkloads; ++i) {
    picture.workloads.emplace_back().name = name;
    picture.workloads.back().cells.resize(100, {1000000, 1000000});
  }
  for (std::size_t i = 0; i < kMaxPicturePending; ++i) {
    PicturePending& pending = picture.pending.emplace_back();
    pending.workload = pending.message = name;
    pending.names.resize(20, name);
    pending.reasons.resize(6, {name, name, 5});
    pending.hints.resize(3, name);
  }
  for (std::size_t i = 0; i < kMaxPictureSpreads; ++i) {
    SpreadNow& spread = picture.rules.spreads.emplace_back();
    spread.workload = spread.selector = name;
    spread.domains.resize(SpreadNow::kMostListedDomains, {name, 1});
  }
  picture.rules.broken.resize(1000, {name, StrategyKind::kNodeTaints, 1});
  picture.nodes = 5000;
  DecisionRing ring(1000);
  for (int i = 0; i < 1000; ++i) ring.Add(Refusal(name, name));
  for (const std::size_t most : {std::size_t{20000}, kMaxPageStateBytes}) {
    const std::string json = PageStateJson({}, picture, ring.All(), most);
    EXPECT_LE(json.size(), most);
    EXPECT_EQ(Json::parse(json)["nodes"], 5000);
  }
}

}  // namespace
}  // namespace vicinal
