#include "server/commands/deschedule/lease.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;

// Keeps one lease as an API server does: a write must name the version that it
// replaces.
class LeaseServer {
 public:
  LeaseServer()
      : server_({}, [this](const TestRequest& request, TestReply& reply) {
          Answer(request, reply);
        }) {}

  std::unique_ptr<BlockingApiClient> Client() const {
    const ClientConfig config = PlainConfigOf(server_);
    ApiClientOptions options;
    options.response_timeout = milliseconds(2000);
    return *BlockingApiClient::Create(config, options);
  }

  std::string Holder() const {
    const std::lock_guard lock(mutex_);
    return lease_.is_null() ? "" : lease_["spec"]["holderIdentity"];
  }
  nlohmann::json Lease() const {
    const std::lock_guard lock(mutex_);
    return lease_;
  }
  void SetLease(const nlohmann::json& lease) {
    const std::lock_guard lock(mutex_);
    lease_ = lease;
  }
  void SetBroken(bool broken) {
    const std::lock_guard lock(mutex_);
    broken_ = broken;
  }

 private:
  void Answer(const TestRequest& request, TestReply& reply) {
    const std::lock_guard lock(mutex_);
    if (broken_) return reply.Send(500, "{}");
    const std::string path =
        "/apis/coordination.k8s.io/v1/namespaces/ns/leases";
    EXPECT_EQ(request.target, request.method == "POST" ? path : path + "/l");
    if (request.method == "GET") {
      if (lease_.is_null()) return reply.Send(404, "{}");
      return reply.Send(200, lease_.dump());
    }
    const nlohmann::json lease = nlohmann::json::parse(request.body);
    const bool is_new = request.method == "POST";
    if (is_new != lease_.is_null() ||
        (!is_new && lease["metadata"]["resourceVersion"] !=
                        lease_["metadata"]["resourceVersion"])) {
      return reply.Send(409, "{}");
    }
    lease_ = lease;
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
    reply.Send(is_new ? 201 : 200, lease_.dump());
  }

  mutable std::mutex mutex_;
  nlohmann::json lease_;  // Guarded by mutex_, as what follows.
  int version_ = 0;
  bool broken_ = false;
  TestHttpServer server_;
};

LeaseOptions OptionsOf(const std::string& identity) {
  LeaseOptions options;
  options.namespace_name = "ns";
  options.name = "l";
  options.identity = identity;
  options.lease_duration = milliseconds(5000);
  options.renew_deadline = milliseconds(2000);
  options.retry_period = milliseconds(50);
  return options;
}

bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return false;
}

TEST(LeaderElectionTest, OneLeadsAndTheOtherFollowsWhenItEnds) {
  LeaseServer server;
  const auto client_a = server.Client();
  const auto client_b = server.Client();
  auto a = std::make_unique<LeaderElection>(*client_a, OptionsOf("a"));
  ASSERT_TRUE(Eventually([&] { return a->IsLeader(); }));
  EXPECT_EQ(server.Holder(), "a");
  LeaderElection b(*client_b, OptionsOf("b"));
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_FALSE(b.IsLeader());
  a.reset();
  EXPECT_TRUE(Eventually([&] { return b.IsLeader(); }));
  EXPECT_EQ(server.Holder(), "b");
}

TEST(LeaderElectionTest, KeepsWhatOthersHavePutOnTheLease) {
  LeaseServer server;
  const nlohmann::json metadata = {
      {"name", "l"},
      {"namespace", "ns"},
      {"labels", {{"team", "scheduling"}}},
      {"annotations", {{"note", "keep \u00e9"}}},
      {"finalizers", {"example.com/f"}},
      {"ownerReferences",
       {{{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"uid", "u"}}}}};
  nlohmann::json lease = {{"kind", "Lease"},
                          {"metadata", metadata},
                          {"spec", {{"strategy", "OldestEmulationVersion"}}}};
  lease["metadata"]["resourceVersion"] = "0";
  server.SetLease(lease);
  const auto client = server.Client();
  {
    LeaderElection election(*client, OptionsOf("a"));
    ASSERT_TRUE(Eventually([&] { return election.IsLeader(); }));
    const std::string first = server.Lease()["spec"]["renewTime"];
    ASSERT_TRUE(Eventually(
        [&] { return server.Lease()["spec"]["renewTime"] != first; }));
  }
  nlohmann::json after = server.Lease();
  EXPECT_EQ(after["spec"]["holderIdentity"], "");  // Given back.
  EXPECT_EQ(after["spec"]["strategy"], "OldestEmulationVersion");
  after["metadata"].erase("resourceVersion");
  EXPECT_EQ(after["metadata"], metadata);
}

TEST(LeaderElectionTest, WhoCannotRenewDoesNotLead) {
  LeaseServer server;
  const auto client = server.Client();
  LeaderElection election(*client, OptionsOf("a"));
  ASSERT_TRUE(Eventually([&] { return election.IsLeader(); }));
  server.SetBroken(true);
  EXPECT_TRUE(Eventually([&] { return !election.IsLeader(); }));
  server.SetBroken(false);
  EXPECT_TRUE(Eventually([&] { return election.IsLeader(); }));
}

}  // namespace
}  // namespace vicinal
