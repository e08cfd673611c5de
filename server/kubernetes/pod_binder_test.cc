#include "server/kubernetes/pod_binder.h"

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = BindResult::Outcome;

constexpr char kConflict[] =
    R"({"kind":"Status","message":"pod p is already assigned to node \"n1\""})";

std::string PodOn(const std::string& node, const std::string& uid = "u1") {
  return R"({"metadata":{"name":"p","namespace":"ns","uid":")" + uid +
         R"("},"spec":{"nodeName":")" + node + R"("}})";
}

// An API server that answers one binding, and says where the pod is.
class PodBinderTest : public testing::Test {
 protected:
  using Answer = std::function<void(TestReply&)>;

  static Answer With(int status, std::string body) {
    return [status, body](TestReply& reply) { reply.Send(status, body); };
  }
  static void Silent(TestReply& reply) {
    reply.StartChunks();
    reply.Cut();
  }

  // With an API server that answers the i-th request of a method so; the last
  // answer is for all others.
  BindResult Bind(const std::vector<Answer>& to_post,
                  const std::vector<Answer>& to_get, BindCaller caller = {}) {
    std::mutex mutex;
    std::map<std::string, std::size_t> count;
    TestHttpServer server(
        {}, [&](const TestRequest& request, TestReply& reply) {
          const auto& answers = request.method == "POST" ? to_post : to_get;
          std::size_t i = 0;
          {
            const std::lock_guard lock(mutex);
            i = count[request.method]++;
          }
          answers[std::min(i, answers.size() - 1)](reply);
        });
    const ClientConfig config = PlainConfigOf(server);
    const auto pool = ApiClientPool::Create(config, {}, {});
    EXPECT_TRUE(pool.ok()) << pool.status();
    PodBinder::Options options;
    options.settled_after = std::chrono::milliseconds(100);
    PodBinder binder(**pool, options);
    std::promise<BindResult> result;
    binder.Bind({"ns", "p", "u1", "n1"}, std::move(caller),
                [&](BindResult r) { result.set_value(std::move(r)); });
    BindResult bound = result.get_future().get();
    requests_ = server.requests();
    return bound;
  }
  std::size_t Writes() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        requests_,
        [](const TestRequest& request) { return request.method == "POST"; }));
  }

  const Answer bound_ = With(201, R"({"kind":"Status","status":"Success"})");
  std::vector<TestRequest> requests_;
};

TEST_F(PodBinderTest, WritesTheBindingWithTheUid) {
  EXPECT_EQ(Bind({bound_}, {Silent}).outcome, Outcome::kWritten);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].target, "/api/v1/namespaces/ns/pods/p/binding");
  EXPECT_EQ(requests_[0].body,
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p",)"
            R"("namespace":"ns","uid":"u1"},"target":{"apiVersion":"v1",)"
            R"("kind":"Node","name":"n1"}})");
}

TEST_F(PodBinderTest, ARefusalIsPassedOnInTheServersWords) {
  const BindResult result = Bind(
      {With(403, R"({"kind":"Status","message":"not allowed"})")}, {Silent});
  EXPECT_EQ(result.outcome, Outcome::kRefused);
  EXPECT_EQ(result.message, "403: not allowed");
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_F(PodBinderTest, WantOfRightsIsToldFromOtherRefusals) {
  EXPECT_EQ(Bind({With(403, R"({"kind":"Status","message":"User \"vicinal\" )"
                            R"(cannot create resource \"pods/binding\""})")},
                 {Silent})
                .outcome,
            Outcome::kForbidden);
  EXPECT_EQ(Bind({With(401, "{}")}, {Silent}).outcome, Outcome::kForbidden);
}

TEST_F(PodBinderTest, WhoIsNotKnownOverAnOldConnectionOpensAnother) {
  EXPECT_EQ(Bind({With(401, "{}"), bound_}, {Silent}).outcome,
            Outcome::kWritten);
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_NE(requests_[0].connection, requests_[1].connection);
}

TEST_F(PodBinderTest, APodThatIsOnTheNodeAlreadyIsASuccess) {
  EXPECT_EQ(Bind({With(409, kConflict)}, {With(200, PodOn("n1"))}).outcome,
            Outcome::kWritten);
}

TEST_F(PodBinderTest, APodOnAnotherNodeOrOfAnotherUidIsARefusal) {
  const BindResult other_node =
      Bind({With(409, kConflict)}, {With(200, PodOn("n2"))});
  EXPECT_EQ(other_node.outcome, Outcome::kRefused);
  EXPECT_THAT(other_node.message, HasSubstr("already assigned"));
  EXPECT_EQ(
      Bind({With(409, kConflict)}, {With(200, PodOn("n1", "u2"))}).outcome,
      Outcome::kRefused);
  EXPECT_EQ(Writes(), 1u);
}

TEST_F(PodBinderTest, WithoutAnAnswerThePodIsLookedAt) {
  EXPECT_EQ(Bind({Silent}, {With(200, PodOn("n1"))}).outcome,
            Outcome::kWritten);
  EXPECT_EQ(Bind({Silent}, {With(200, PodOn("n2"))}).outcome,
            Outcome::kRefused);
  EXPECT_EQ(Bind({Silent}, {With(200, PodOn("n1", "u2"))}).outcome,
            Outcome::kRefused);
  EXPECT_EQ(Bind({Silent}, {With(404, "{}")}).outcome, Outcome::kRefused);
  EXPECT_EQ(
      Bind({Silent}, {Silent, With(200, "[]"), With(200, PodOn("n1"))}).outcome,
      Outcome::kWritten);
}

TEST_F(PodBinderTest, WhatFailsForAMomentIsTriedAgain) {
  for (const Answer& failure :
       {With(409, "{}"), With(429, "{}"), With(500, "{}"), Answer(Silent)}) {
    EXPECT_EQ(Bind({failure, bound_}, {With(200, PodOn(""))}).outcome,
              Outcome::kWritten);
    EXPECT_EQ(Writes(), 2u);
  }
}

TEST_F(PodBinderTest, ThatIsNotDoneForEver) {
  const BindResult result =
      Bind({With(500, R"({"kind":"Status","message":"broken"})")},
           {With(200, PodOn(""))});
  EXPECT_EQ(result.outcome, Outcome::kRefused);
  EXPECT_EQ(result.message, "500: broken");
  EXPECT_EQ(Writes(), 5u);
}

TEST_F(PodBinderTest, ABindingThatNobodyWaitsForIsNotWritten) {
  BindCaller late;
  late.waits_until = std::chrono::steady_clock::now();
  EXPECT_EQ(Bind({bound_}, {Silent}, late).outcome, Outcome::kLate);
  BindCaller gone;
  gone.is_gone = [] { return true; };
  EXPECT_EQ(Bind({bound_}, {Silent}, gone).outcome, Outcome::kLate);
  EXPECT_EQ(Writes(), 0u);
}

TEST_F(PodBinderTest, ARequestThatMayBeUnderWayIsWaitedForAfterTheCaller) {
  int asked = 0;
  BindCaller caller;
  caller.is_gone = [&asked] { return asked++ > 0; };
  EXPECT_EQ(
      Bind({Silent}, {With(200, PodOn("")), With(200, PodOn("n1"))}, caller)
          .outcome,
      Outcome::kWritten);
  EXPECT_EQ(Writes(), 1u);
  asked = 0;
  EXPECT_EQ(Bind({Silent}, {With(200, PodOn(""))}, caller).outcome,
            Outcome::kRefused);
  asked = 0;
  EXPECT_EQ(Bind({Silent}, {With(403, "{}")}, caller).outcome,
            Outcome::kUnknown);
}

}  // namespace
}  // namespace vicinal
