#include "server/live_page/live_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/testing/objects.h"
#include "server/decisions/decision_record.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class LivePageTest : public ::testing::Test {
 protected:
  static HttpRequest Get(std::string_view path, std::string_view etag = "") {
    HttpRequest request{"GET", path, ""};
    request.if_none_match = etag;
    return request;
  }

  static std::string Header(const HttpResponse& response,
                            std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }

  ProfileOf Profiles() {
    return [this](const std::string& name) { return profiles_.Find(name); };
  }

  void WritePod(const std::string& name) {
    store_.Write([&name](ClusterState& cluster) {
      cluster.Upsert(ParsePod(absl::StrCat("{metadata: {name: ", name, "}}")));
    });
  }

  // Asks until `is_it` holds of the answer, for the etag that it has by then.
  template <typename Condition>
  static HttpResponse Await(LivePage& page, Condition&& is_it) {
    for (int i = 0; i < 10000; ++i) {
      HttpResponse response = page.Handle(Get("/page/state"));
      if (response.status == 200 && is_it(Json::parse(response.body))) {
        return response;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "never came";
    return {};
  }
  static HttpResponse AwaitState(LivePage& page) {
    return Await(page, [](const Json&) { return true; });
  }

  const SchedulerProfiles profiles_;
  ClusterStore store_;
  Freshness freshness_{{"pods"}, std::chrono::seconds(0)};
  DecisionRing decisions_{10};
  LivePage::Options often_{.interval = std::chrono::milliseconds(1)};
  LivePage::Options once_{.interval = std::chrono::hours(1)};
};

TEST_F(LivePageTest, NothingOfThePageIsFromElsewhereOrRunsFromItsText) {
  LivePage page(store_, freshness_, Profiles(), decisions_, once_);
  for (const auto& [path, type] : {std::pair{"/page", "text/html"},
                                   {"/page/style.css", "text/css"},
                                   {"/page/script.js", "text/javascript"}}) {
    const HttpResponse response = page.Handle(Get(path));
    EXPECT_EQ(response.status, 200u) << path;
    EXPECT_THAT(response.content_type, HasSubstr(type));
    EXPECT_THAT(response.body, Not(HasSubstr("http:"))) << path;
    EXPECT_THAT(response.body, Not(HasSubstr("https:"))) << path;
    const std::string policy = Header(response, "content-security-policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self';"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe"))) << path;
    EXPECT_EQ(Header(response, "x-content-type-options"), "nosniff");
  }
  for (const char* path : {"/page/", "/page/x", "/page/state/x"}) {
    EXPECT_EQ(page.Handle(Get(path)).status, 404u) << path;
  }
}

TEST_F(LivePageTest, TheScriptNeverTakesTextForHtml) {
  LivePage page(store_, freshness_, Profiles(), decisions_, once_);
  const std::string script = page.Handle(Get("/page/script.js")).body;
  for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML",
                          "document.write", "eval(", "Function("}) {
    EXPECT_THAT(script, Not(HasSubstr(way)));
  }
}

TEST_F(LivePageTest, AskingNeverWaitsForARendering) {
  std::atomic<bool> go_on = false;
  LivePage page(
      store_, freshness_,
      [&](const std::string& name) {
        while (!go_on) std::this_thread::yield();
        return profiles_.Find(name);
      },
      decisions_, often_);
  WritePod("p");
  for (int i = 0; i < 3; ++i) {
    const HttpResponse response = page.Handle(Get("/page/state"));
    EXPECT_EQ(response.status, 503u);
    EXPECT_THAT(response.body, HasSubstr("is being made"));
  }
  go_on = true;
  EXPECT_EQ(AwaitState(page).status, 200u);
}

TEST_F(LivePageTest, WhoHasTheStateIsNotSentItAgain) {
  LivePage page(store_, freshness_, Profiles(), decisions_, once_);
  const std::string etag = Header(AwaitState(page), "etag");
  const HttpResponse again = page.Handle(Get("/page/state", etag));
  EXPECT_EQ(again.status, 304u);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(page.Handle(Get("/page/state", "\"other\"")).status, 200u);
}

TEST_F(LivePageTest, TheStateFollowsTheClusterItsHealthAndTheDecisions) {
  LivePage page(store_, freshness_, Profiles(), decisions_, often_);
  Await(page, [](const Json& state) {
    return state["pods"] == 0 && state["ready"] == false;
  });
  WritePod("p");
  Await(page, [](const Json& state) { return state["pendingPods"] == 1; });
  freshness_.OnListed("pods");
  Await(page, [](const Json& state) { return state["ready"] == true; });
  DecisionRecord decision;
  decision.name = "p";
  decisions_.Add(decision);
  Await(page, [](const Json& state) { return state["decisions"].size() == 1; });
}

TEST_F(LivePageTest, WithoutAClusterTheLastPictureStaysUntilThereIsOneAgain) {
  std::atomic<bool> is_there = true;
  std::atomic<int> pods = 1;
  LivePage::Options options = often_;
  options.copies_at_lowest_priority = false;
  LivePage page(
      {[&pods] { return static_cast<std::uint64_t>(pods); },
       [&]() -> std::unique_ptr<ClusterState> {
         if (!is_there) return nullptr;
         auto copy = std::make_unique<ClusterState>();
         for (int i = 0; i < pods; ++i) {
           copy->Upsert(ParsePod(absl::StrCat("{metadata: {name: p", i, "}}")));
         }
         return copy;
       }},
      freshness_, Profiles(), decisions_, options);
  Await(page, [](const Json& state) { return state["pods"] == 1; });
  is_there = false;
  pods = 2;
  freshness_.OnListed("pods");
  Await(page, [](const Json& state) {
    return state["ready"] == true && state["pods"] == 1;
  });
  is_there = true;
  freshness_.OnDisconnected("pods", Freshness::Clock::now());
  Await(page, [](const Json& state) { return state["pods"] == 2; });
}

TEST_F(LivePageTest, TheMetricsAboutRulesFollowTheClusterWithoutAPage) {
  LivePage::Options options = once_;
  options.rules_interval = std::chrono::milliseconds(1);
  LivePage page(store_, freshness_, Profiles(), decisions_, options);
  store_.Write([](ClusterState& cluster) {
    AddNode(cluster, "n1");
    AddPod(cluster, "n1",
           "{metadata: {name: p, namespace: shop}, spec: {nodeSelector: {no: "
           "where}}}");
  });
  while (page.RuleMetrics()->find("{namespace=\"shop\",") ==
         std::string::npos) {
    std::this_thread::yield();
  }
  EXPECT_EQ(page.renderings(), 0u);
  // While nothing changes, nothing is looked at.
  const std::uint64_t looks = page.looks();
  for (int i = 0; i < 100; ++i) {
    page.RuleMetrics();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  EXPECT_EQ(page.looks(), looks);
}

TEST_F(LivePageTest, TheMetricsAboutRulesAreThoseOfThePage) {
  LivePage::Options options = often_;
  options.rules_interval = std::chrono::hours(1);
  LivePage page(store_, freshness_, Profiles(), decisions_, options);
  EXPECT_EQ(*page.RuleMetrics(), "");
  AwaitState(page);
  while (page.RuleMetrics()->empty()) std::this_thread::yield();
  EXPECT_LE(page.looks(), 1u);
}

TEST_F(LivePageTest, WithoutAnIntervalThereAreNoMetricsAboutRules) {
  LivePage::Options options = often_;
  options.rules_interval = std::chrono::milliseconds(0);
  LivePage page(store_, freshness_, Profiles(), decisions_, options);
  page.RuleMetrics();
  AwaitState(page);
  EXPECT_EQ(*page.RuleMetrics(), "");
  EXPECT_EQ(page.looks(), 0u);
}

TEST_F(LivePageTest, WhileNothingChangesNothingIsRendered) {
  LivePage page(store_, freshness_, Profiles(), decisions_, often_);
  AwaitState(page);
  // What is asked for from now on is the same.
  for (int i = 0; i < 1000; ++i) {
    page.Handle(Get("/page/state"));
    std::this_thread::yield();
  }
  EXPECT_EQ(page.renderings(), 1u);
}

TEST_F(LivePageTest, WhileNobodyAsksNothingIsRendered) {
  LivePage page(store_, freshness_, Profiles(), decisions_, often_);
  WritePod("p");
  EXPECT_EQ(page.renderings(), 0u);
}

TEST_F(LivePageTest, HoweverManyAskThereIsOneRenderingInAnInterval) {
  LivePage page(store_, freshness_, Profiles(), decisions_, once_);
  std::vector<std::thread> pages;
  for (int i = 0; i < 8; ++i) {
    pages.emplace_back([&page] {
      for (int asked = 0; asked < 1000; ++asked) {
        page.Handle(Get("/page/state"));
      }
    });
  }
  // Events and questions go on beside them.
  for (int i = 0; i < 500; ++i) {
    WritePod(absl::StrCat("p", i));
    const std::size_t pods = store_.Read(
        [](const ClusterState& cluster) { return cluster.pod_count(); });
    EXPECT_EQ(pods, static_cast<std::size_t>(i) + 1);
  }
  for (std::thread& thread : pages) thread.join();
  AwaitState(page);
  EXPECT_EQ(page.renderings(), 1u);
}

// The profile is asked for while a pending pod is explained. A lock that was
// held then would let the write wait for ever.
TEST_F(LivePageTest, EventsAndQuestionsGoOnWhileAPictureIsDrawn) {
  std::atomic<int> written = 0;
  LivePage page(
      store_, freshness_,
      [&](const std::string& name) {
        std::thread event([&] { WritePod(absl::StrCat("new-", ++written)); });
        event.join();
        EXPECT_GE(store_.Read([](const ClusterState& cluster) {
          return cluster.pod_count();
        }),
                  2u);
        return profiles_.Find(name);
      },
      decisions_, once_);
  WritePod("p");
  const Json state = Json::parse(AwaitState(page).body);
  EXPECT_EQ(written, 1);
  // It is the picture of the cluster as it was before.
  EXPECT_EQ(state["pods"], 1);
}

}  // namespace
}  // namespace vicinal
