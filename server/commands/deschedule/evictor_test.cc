#include "server/commands/deschedule/evictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Outcome = EvictResult::Outcome;

constexpr char kPod[] =
    R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u1"},
        "spec":{"nodeName":"n1"}})";
constexpr char kTerminating[] =
    R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u1",
        "deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"nodeName":"n1"}})";

PlannedEviction Planned() {
  PlannedEviction planned;
  planned.pod = {"shop", "web-1"};
  planned.uid = "u1";
  planned.node = "n1";
  planned.destination = "n2";
  planned.strategy = StrategyKind::kInterPodAntiAffinity;
  planned.reason = "too near";
  return planned;
}

// An API server that answers GETs of the pod with the given texts, the last of
// them for ever, and POSTs with the given status.
class EvictorTest : public ::testing::Test {
 protected:
  EvictorTest()
      : server_({}, [this](const TestRequest& request, TestReply& reply) {
          Answer(request, reply);
        }) {
    config_ = PlainConfigOf(server_);
    options_.response_timeout = std::chrono::milliseconds(5000);
    client_ = *BlockingApiClient::Create(config_, options_);
  }

  void Answer(const TestRequest& request, TestReply& reply) {
    const std::lock_guard lock(mutex_);
    if (request.method != "GET") {
      if (post_status_ == 0) return reply.Cut();
      return reply.Send(post_status_,
                        R"({"kind":"Status","message":"says the server"})");
    }
    const auto [status, body] = gets_.front();
    if (gets_.size() > 1) gets_.erase(gets_.begin());
    reply.Send(status, body);
  }

  EvictResult Evict() {
    Evictor evictor(*client_, config_, options_, grace_period_seconds_);
    return evictor.Evict(Planned());
  }

  std::vector<std::string> Requests() const {
    std::vector<std::string> requests;
    for (const TestRequest& request : server_.requests()) {
      requests.push_back(request.method + " " + request.target);
    }
    return requests;
  }

  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::pair<int, std::string>> gets_ = {{200, kPod}};
  int post_status_ = 201;
  std::optional<std::int64_t> grace_period_seconds_;
  ClientConfig config_;
  ApiClientOptions options_;
  TestHttpServer server_;
  std::unique_ptr<BlockingApiClient> client_;
};

constexpr char kGet[] = "GET /api/v1/namespaces/shop/pods/web-1";
constexpr char kPost[] = "POST /api/v1/namespaces/shop/pods/web-1/eviction";

TEST_F(EvictorTest, EvictsThePodOfThatUid) {
  grace_period_seconds_ = 7;
  EXPECT_EQ(Evict().outcome, Outcome::kEvicted);
  EXPECT_THAT(Requests(), ElementsAre(kGet, kPost));
  EXPECT_EQ(nlohmann::json::parse(server_.requests().back().body),
            nlohmann::json::parse(R"({"apiVersion":"policy/v1",
              "kind":"Eviction","metadata":{"name":"web-1",
              "namespace":"shop"},"deleteOptions":{"preconditions":{
              "uid":"u1"},"gracePeriodSeconds":7}})"));
}

TEST_F(EvictorTest, APodThatIsNotWhatWasPlannedForIsLeftAlone) {
  const std::pair<int, std::string> cases[] = {
      {404, "{}"},
      {200, R"({"metadata":{"uid":"u2"},"spec":{"nodeName":"n1"}})"},
      {200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n2"}})"},
      {200, kTerminating},
      {200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n1"},
                "status":{"phase":"Succeeded"}})"}};
  for (const auto& answer : cases) {
    {
      const std::lock_guard lock(mutex_);
      gets_ = {answer};
    }
    EXPECT_EQ(Evict().outcome, Outcome::kChanged) << answer.second;
  }
  for (const TestRequest& request : server_.requests()) {
    EXPECT_EQ(request.method, "GET");
  }
}

TEST_F(EvictorTest, ADisruptionBudgetRefusesAndIsNotAskedAgain) {
  post_status_ = 429;
  const EvictResult result = Evict();
  EXPECT_EQ(result.outcome, Outcome::kRefused);
  EXPECT_THAT(result.message, HasSubstr("says the server"));
  EXPECT_THAT(Requests(), ElementsAre(kGet, kPost));
}

TEST_F(EvictorTest, APodThatChangesMeanwhileIsNotEvicted) {
  post_status_ = 409;
  EXPECT_EQ(Evict().outcome, Outcome::kChanged);
  EXPECT_THAT(Requests(), ElementsAre(kGet, kPost));
}

TEST_F(EvictorTest, AnErrorOfTheServerMayHaveEvictedAllTheSame) {
  post_status_ = 500;
  EXPECT_EQ(Evict().outcome, Outcome::kFailed);
  EXPECT_THAT(Requests(), ElementsAre(kGet, kPost, kGet));
  {
    const std::lock_guard lock(mutex_);
    gets_ = {{200, kPod}, {200, kTerminating}};
  }
  EXPECT_EQ(Evict().outcome, Outcome::kEvicted);
  {
    const std::lock_guard lock(mutex_);
    gets_ = {{200, kPod}, {404, "{}"}};
  }
  EXPECT_EQ(Evict().outcome, Outcome::kEvicted);
}

TEST_F(EvictorTest, WithoutAnAnswerThePodIsLookedAt) {
  post_status_ = 0;
  {
    const std::lock_guard lock(mutex_);
    gets_ = {{200, kPod}, {200, kTerminating}};
  }
  EXPECT_EQ(Evict().outcome, Outcome::kEvicted);
  // It was sent once.
  EXPECT_THAT(Requests(), ElementsAre(kGet, kPost, kGet));
  {
    const std::lock_guard lock(mutex_);
    gets_ = {{200, kPod}};
  }
  EXPECT_EQ(Evict().outcome, Outcome::kUnreachable);
}

TEST_F(EvictorTest, WhoIsNotKnownNeedNotTryAgain) {
  {
    const std::lock_guard lock(mutex_);
    gets_ = {{401, R"({"message":"who are you"})"}};
  }
  const EvictResult result = Evict();
  EXPECT_EQ(result.outcome, Outcome::kUnreachable);
  EXPECT_THAT(result.message, HasSubstr("who are you"));
}

TEST_F(EvictorTest, AnEventSaysWhy) {
  post_status_ = 201;
  Evictor evictor(*client_, config_, options_, std::nullopt);
  evictor.Record(Planned(), EventSubject{"apps/v1", "ReplicaSet", "web", "o1"});
  ASSERT_EQ(server_.requests().size(), 2u);
  const TestRequest request = server_.requests().at(0);
  EXPECT_EQ(request.target, "/api/v1/namespaces/shop/events");
  const nlohmann::json event = nlohmann::json::parse(request.body);
  EXPECT_EQ(event["involvedObject"]["kind"], "Pod");
  EXPECT_EQ(event["involvedObject"]["uid"], "u1");
  EXPECT_EQ(event["reason"], "RemovePodsViolatingInterPodAntiAffinity");
  EXPECT_EQ(event["action"], "Descheduled");
  EXPECT_EQ(event["message"],
            "pod eviction from n1 node by vicinal-deschedule: too near; "
            "expected on n2");
  const nlohmann::json of_owner =
      nlohmann::json::parse(server_.requests().at(1).body);
  EXPECT_EQ(of_owner["involvedObject"]["kind"], "ReplicaSet");
  EXPECT_EQ(of_owner["involvedObject"]["name"], "web");
  EXPECT_EQ(of_owner["involvedObject"]["namespace"], "shop");
  EXPECT_EQ(of_owner["involvedObject"]["uid"], "o1");
  EXPECT_EQ(of_owner["message"],
            "pod web-1 eviction from n1 node by vicinal-deschedule: too near; "
            "expected on n2");
}

TEST_F(EvictorTest, AfterAnEventThatFailsNoneIsTriedForAWhile) {
  post_status_ = 500;
  Evictor evictor(*client_, config_, options_, std::nullopt);
  evictor.Record(Planned(), std::nullopt);
  evictor.Record(Planned(), std::nullopt);
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(EvictorTest, TellsTheControllerOfTheEvictedPod) {
  gets_ = {{200, R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u1",
    "ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n1","uid":"o0"},
    {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"o1",
     "controller":true}]},"spec":{"nodeName":"n1"}})"}};
  post_status_ = 201;
  const EvictResult result = Evict();
  ASSERT_TRUE(result.owner);
  EXPECT_EQ(result.owner->kind, "ReplicaSet");
  EXPECT_EQ(result.owner->api_version, "apps/v1");
  EXPECT_EQ(result.owner->uid, "o1");
}

TEST_F(EvictorTest, APodThatHasFinishedIsEvictedIfThatWasPlanned) {
  gets_ = {{200, R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u1"},
    "spec":{"nodeName":"n1"},"status":{"phase":"Failed"}})"}};
  post_status_ = 201;
  EXPECT_EQ(Evict().outcome, Outcome::kChanged);
  PlannedEviction planned = Planned();
  planned.destination.clear();
  Evictor evictor(*client_, config_, options_, std::nullopt);
  EXPECT_EQ(evictor.Evict(planned).outcome, Outcome::kEvicted);
}

}  // namespace
}  // namespace vicinal
