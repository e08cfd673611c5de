#include "server/kubernetes/pod_binder.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

  BindResult Bind(const Answer& to_post, const Answer& to_get) {
    TestHttpServer server(
        {}, [&](const TestRequest& request, TestReply& reply) {
          (request.method == "POST" ? to_post : to_get)(reply);
        });
    ClientConfig config;
    config.tls = false;
    config.host = "127.0.0.1";
    config.port = server.port();
    const auto client = BlockingApiClient::Create(config, {});
    EXPECT_TRUE(client.ok()) << client.status();
    const BindResult result = PodBinder(**client).Bind({"ns", "p", "u1", "n1"});
    requests_ = server.requests();
    return result;
  }

  std::vector<TestRequest> requests_;
};

TEST_F(PodBinderTest, WritesTheBindingWithTheUid) {
  const BindResult result =
      Bind(With(201, R"({"kind":"Status","status":"Success"})"), Silent);
  EXPECT_EQ(result.outcome, Outcome::kWritten);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].target, "/api/v1/namespaces/ns/pods/p/binding");
  EXPECT_EQ(requests_[0].body,
            R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p",)"
            R"("namespace":"ns","uid":"u1"},"target":{"apiVersion":"v1",)"
            R"("kind":"Node","name":"n1"}})");
}

TEST_F(PodBinderTest, ARefusalIsPassedOnInTheServersWords) {
  const BindResult result =
      Bind(With(404, R"({"kind":"Status","message":"pods \"p\" not found"})"),
           Silent);
  EXPECT_EQ(result.outcome, Outcome::kRefused);
  EXPECT_EQ(result.message, "404: pods \"p\" not found");
  EXPECT_EQ(requests_.size(), 1u);
}

TEST_F(PodBinderTest, APodThatIsOnTheNodeAlreadyIsASuccess) {
  EXPECT_EQ(Bind(With(409, kConflict), With(200, PodOn("n1"))).outcome,
            Outcome::kWritten);
}

TEST_F(PodBinderTest, APodOnAnotherNodeOrOfAnotherUidIsARefusal) {
  const BindResult other_node =
      Bind(With(409, kConflict), With(200, PodOn("n2")));
  EXPECT_EQ(other_node.outcome, Outcome::kRefused);
  EXPECT_THAT(other_node.message, HasSubstr("already assigned"));
  EXPECT_EQ(Bind(With(409, kConflict), With(200, PodOn("n1", "u2"))).outcome,
            Outcome::kRefused);
  EXPECT_EQ(Bind(With(409, kConflict), Silent).outcome, Outcome::kRefused);
}

TEST_F(PodBinderTest, WithoutAnAnswerThePodIsLookedAt) {
  EXPECT_EQ(Bind(Silent, With(200, PodOn("n1"))).outcome, Outcome::kWritten);
  EXPECT_EQ(Bind(Silent, With(200, PodOn("n2"))).outcome, Outcome::kRefused);
  EXPECT_EQ(Bind(Silent, With(200, PodOn("n1", "u2"))).outcome,
            Outcome::kRefused);
  EXPECT_EQ(Bind(Silent, With(404, "{}")).outcome, Outcome::kRefused);
}

TEST_F(PodBinderTest, WhatCannotBeKnownIsUnknown) {
  // Not bound now, but the request may still be under way.
  EXPECT_EQ(Bind(Silent, With(200, PodOn(""))).outcome, Outcome::kUnknown);
  EXPECT_EQ(Bind(Silent, Silent).outcome, Outcome::kUnknown);
  EXPECT_EQ(Bind(Silent, With(200, "[]")).outcome, Outcome::kUnknown);
  EXPECT_EQ(Bind(With(504, "{}"), Silent).outcome, Outcome::kUnknown);
}

}  // namespace
}  // namespace vicinal
