#include "server/commands/deschedule/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/model/read_objects.h"
#include "core/plugins/plugin_config.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A cluster and the API server's part of evicting its pods. Evicted pods are
// gone at once; replacements come when a test says so.
class PassTest : public ::testing::Test {
 protected:
  PassTest()
      : server_({}, [this](const TestRequest& request, TestReply& reply) {
          Answer(request, reply);
        }) {
    config_ = PlainConfigOf(server_);
    client_ = *BlockingApiClient::Create(config_, {});
    options_.policy = DefaultPolicy();
    options_.policy.max_per_owner.reset();
    options_.eviction_interval = std::chrono::milliseconds(0);
    options_.max_plan_age = std::chrono::milliseconds(60'000);
    for (const char* node : {"n1", "n2", "n3", "n4"}) {
      nodes_.push_back(
          "{apiVersion: v1, kind: Node, metadata: {name: " + std::string(node) +
          ", labels: {host: " + node +
          "}}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 110}}}\n");
    }
  }

  // A pod that must not meet its like on a host.
  void Put(const std::string& name, const std::string& node,
           const std::string& app = "web") {
    const std::lock_guard lock(mutex_);
    pods_[name] = {node, app};
  }

  absl::Status Read(DescheduleCluster& cluster) {
    const std::lock_guard lock(mutex_);
    if (!read_error_.ok()) return read_error_;
    ++reads_;
    std::string text;
    for (const std::string& node : nodes_) text += "---\n" + node;
    for (const auto& [name, pod] : pods_) {
      text += "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
              ", namespace: shop, uid: u-" + name +
              ", labels: {app: " + pod.app +
              "}, ownerReferences: [{kind: ReplicaSet, name: " + pod.app +
              ", controller: true}]}, status: {phase: Running}, spec: "
              "{nodeName: " +
              pod.node +
              ", affinity: {podAntiAffinity: "
              "{requiredDuringSchedulingIgnoredDuringExecution: "
              "[{topologyKey: host, labelSelector: {matchLabels: {app: " +
              pod.app + "}}}]}}}}\n";
    }
    absl::StatusOr<std::vector<Object>> objects = ReadObjects(text);
    if (!objects.ok()) return objects.status();
    for (Object& object : *objects) cluster.state.Upsert(std::move(object));
    if (on_read_) on_read_();
    return absl::OkStatus();
  }

  void Answer(const TestRequest& request, TestReply& reply) {
    const std::lock_guard lock(mutex_);
    const std::string prefix = "/api/v1/namespaces/shop/pods/";
    if (!request.target.starts_with(prefix)) return reply.Send(201, "{}");
    std::string name = request.target.substr(prefix.size());
    const bool evict = name.ends_with("/eviction");
    if (evict) name.resize(name.size() - std::string("/eviction").size());
    const auto pod = pods_.find(name);
    if (pod == pods_.end()) return reply.Send(404, "{}");
    if (!evict) {
      return reply.Send(200, R"({"metadata":{"name":")" + name +
                                 R"(","namespace":"shop","uid":"u-)" + name +
                                 R"("},"spec":{"nodeName":")" +
                                 pod->second.node + R"("}})");
    }
    evictions_.push_back(name);
    const auto refused = answers_.find(name);
    if (refused != answers_.end()) {
      return reply.Send(refused->second, R"({"message":"no"})");
    }
    pods_.erase(pod);
    reply.Send(201, "{}");
  }

  DescheduleLoop& passes() {
    if (!passes_) {
      evictor_ = std::make_unique<Evictor>(*client_, config_,
                                           ApiClientOptions(), std::nullopt);
      passes_.emplace(
          profile_, options_,
          [this](const std::vector<PlannedEviction>& evicted,
                 DescheduleCluster& cluster) {
            told_evicted_ = evicted.size();
            return Read(cluster);
          },
          *evictor_, metrics_, stop_, [this] { return may_evict_; });
    }
    return *passes_;
  }

  std::vector<std::string> Evictions() const {
    const std::lock_guard lock(mutex_);
    return evictions_;
  }

  struct PodAt {
    std::string node;
    std::string app;
  };

  const Profile profile_ = DefaultProfile(PluginConfig());
  PassOptions options_;
  std::vector<std::string> nodes_;
  mutable std::mutex mutex_;
  std::map<std::string, PodAt> pods_;   // Guarded by mutex_.
  std::map<std::string, int> answers_;  // Guarded by mutex_.
  std::vector<std::string> evictions_;  // Guarded by mutex_.
  int reads_ = 0;                       // Guarded by mutex_.
  absl::Status read_error_;
  std::size_t told_evicted_ = 0;   // At the last read.
  std::function<void()> on_read_;  // Guarded by mutex_.
  DescheduleMetrics metrics_;
  Stop stop_;
  bool may_evict_ = true;
  ClientConfig config_;
  TestHttpServer server_;
  std::unique_ptr<BlockingApiClient> client_;
  std::unique_ptr<Evictor> evictor_;
  std::optional<DescheduleLoop> passes_;
};

TEST_F(PassTest, EvictsWhatIsPlanned) {
  Put("a", "n1");
  Put("b", "n1");
  PassResult result;
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a"));
  ASSERT_THAT(result.evicted, SizeIs(1));
  EXPECT_EQ(result.evicted[0].destination, "n2");
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_deschedule_evictions_total{result=\"evicted\","
                        "strategy=\"RemovePodsViolatingInterPodAntiAffinity\"} "
                        "1"));
  // The event.
  EXPECT_EQ(server_.requests().back().target, "/api/v1/namespaces/shop/events");
}

TEST_F(PassTest, ADryRunSendsNothing) {
  Put("a", "n1");
  Put("b", "n1");
  PassResult result;
  ASSERT_TRUE(passes().DryRun(result).ok());
  EXPECT_THAT(result.plan.evictions, SizeIs(1));
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(PassTest, AfterARefusalTheOtherPodIsPlannedAndNobodyIsAskedTwice) {
  Put("a", "n1");
  Put("b", "n1");
  answers_["a"] = 429;
  PassResult result;
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a", "b"));
  ASSERT_THAT(result.not_evicted, SizeIs(1));
  EXPECT_EQ(result.not_evicted[0].reason, "refused: 429: no");
}

TEST_F(PassTest, AnErrorOfOnePodDoesNotEndThePass) {
  Put("a", "n1");
  Put("b", "n1");
  Put("o1", "n1", "other");
  Put("o2", "n1", "other");
  answers_["a"] = 500;
  PassResult result;
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a", "b", "o1"));
}

TEST_F(PassTest, WhenTheServerIsAwayThePassEnds) {
  Put("a", "n1");
  Put("b", "n1");
  Put("o1", "n1", "other");
  Put("o2", "n1", "other");
  answers_["a"] = 503;
  PassResult result;
  EXPECT_FALSE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a"));
}

TEST_F(PassTest, WhatThePlanNoLongerJustifiesIsNotEvicted) {
  for (const char* name : {"a", "b", "c"}) Put(name, "n1");
  // While the plan is made, the pod that it begins with goes by itself, and
  // with it another one.
  bool first = true;
  on_read_ = [&] {
    if (!std::exchange(first, false)) return;
    pods_.erase("a");
    pods_.erase("c");
  };
  PassResult result;
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), IsEmpty());
  ASSERT_THAT(result.not_evicted, SizeIs(1));
  EXPECT_EQ(result.not_evicted[0].reason, "changed: it is gone");
}

TEST_F(PassTest, AnOldPlanIsMadeAnew) {
  for (const char* name : {"a", "b", "c"}) Put(name, "n1");
  options_.max_plan_age = std::chrono::milliseconds(500);
  options_.eviction_interval = std::chrono::milliseconds(1000);
  options_.settle_timeout = std::chrono::milliseconds(0);
  PassResult result;
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a", "b"));
  EXPECT_GT(reads_, 1);
  EXPECT_GT(told_evicted_, 0u);
}

TEST_F(PassTest, AReadThatIsCancelledIsNoFailure) {
  read_error_ = absl::CancelledError("it is to stop");
  PassResult result;
  EXPECT_TRUE(passes().Run(result).ok());
  EXPECT_TRUE(passes().DryRun(result).ok());
  read_error_ = absl::UnavailableError("away");
  EXPECT_FALSE(passes().Run(result).ok());
  EXPECT_FALSE(passes().DryRun(result).ok());
}

TEST_F(PassTest, TheOwnerIsLeftAloneUntilTheReplacementIsPlaced) {
  options_.policy.max_per_owner = 1;
  for (const char* name : {"a", "b", "c"}) Put(name, "n1");
  PassResult first;
  ASSERT_TRUE(passes().Run(first).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a"));
  PassResult second;
  ASSERT_TRUE(passes().Run(second).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a"));
  ASSERT_THAT(second.plan.kept, SizeIs(2));
  EXPECT_EQ(second.plan.kept[0].reason,
            "the replacement of another pod of its owner is not on a node yet");
  Put("a2", "n2");
  PassResult third;
  ASSERT_TRUE(passes().Run(third).ok());
  EXPECT_THAT(Evictions(), ElementsAre("a", "b"));
}

TEST_F(PassTest, ItStopsWhenToldAndWhenTheLeaseIsLost) {
  Put("a", "n1");
  Put("b", "n1");
  may_evict_ = false;
  PassResult result;
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), IsEmpty());
  may_evict_ = true;
  stop_.Set();
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), IsEmpty());
}

TEST_F(PassTest, TheRateIsLimited) {
  options_.eviction_interval = std::chrono::milliseconds(300);
  for (const char* name : {"a", "b", "c", "d"}) Put(name, "n1");
  const auto begin = std::chrono::steady_clock::now();
  PassResult result;
  ASSERT_TRUE(passes().Run(result).ok());
  EXPECT_THAT(Evictions(), SizeIs(3));
  EXPECT_GE(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(600));
}

}  // namespace
}  // namespace vicinal
