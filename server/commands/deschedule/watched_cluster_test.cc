#include "server/commands/deschedule/watched_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/model/api_resources.h"
#include "core/model/kubernetes_release.h"
#include "server/commands/deschedule/deschedule_cluster.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kNodes[] = "/api/v1/nodes";
constexpr char kPods[] = "/api/v1/pods";
constexpr milliseconds kLong{20'000};
constexpr milliseconds kShort{100};

std::string PodJson(const std::string& name, const std::string& uid,
                    const std::string& more_metadata = "") {
  return absl::StrCat(R"({"metadata":{"name":")", name,
                      R"(","namespace":"shop","uid":")", uid,
                      R"(","resourceVersion":"11")", more_metadata,
                      R"(},"spec":{"nodeName":"n1","containers":[]}})");
}

std::string Terminating(const std::string& name, const std::string& uid) {
  return PodJson(name, uid, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
}

PlannedEviction EvictionOf(const std::string& name, const std::string& uid) {
  PlannedEviction eviction;
  eviction.pod = {"shop", name};
  eviction.uid = uid;
  return eviction;
}

// An API server with one node and the pods that a test says.
class WatchedClusterTest : public ::testing::Test {
 protected:
  WatchedClusterTest()
      : server_({}, [this](const TestRequest& request, TestReply& reply) {
          Answer(request, reply);
        }) {
    items_[kNodes] = {R"({"metadata":{"name":"n1"}})"};
    items_[kPods] = {PodJson("a", "u-a")};
  }

  ~WatchedClusterTest() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    told_.notify_all();
  }

  void Answer(const TestRequest& request, TestReply& reply) {
    std::unique_lock lock(mutex_);
    if (silent_) {
      lock.unlock();
      return reply.WaitUntilGone();
    }
    if (request.Query("sendInitialEvents") == "true") {
      return reply.Send(400, R"({"message":"no streams of lists"})");
    }
    if (request.Query("watch") == "1") {
      if (request.path == forbidden_) {
        return reply.Send(403, R"({"message":"you may not watch"})");
      }
      lock.unlock();
      return Watch(request.path, reply);
    }
    ++lists_[request.path];
    reply.Send(200,
               absl::StrCat(R"({"metadata":{"resourceVersion":"10"},"items":[)",
                            absl::StrJoin(items_[request.path], ","), "]}"));
  }

  void Watch(const std::string& path, TestReply& reply) {
    reply.StartChunks();
    std::size_t sent = 0;
    for (std::unique_lock lock(mutex_); !ended_; told_.wait(lock)) {
      for (; sent < events_[path].size(); ++sent) {
        reply.Chunk(events_[path][sent]);
      }
    }
  }

  // Has the pods' watch tell it.
  void Tell(const std::string& type, const std::string& object) {
    {
      const std::lock_guard lock(mutex_);
      events_[kPods].push_back(
          absl::StrCat(R"({"type":")", type, R"(","object":)", object, "}\n"));
    }
    told_.notify_all();
  }

  absl::Status Read(const std::vector<PlannedEviction>& evicted = {},
                    milliseconds patience = kLong) {
    if (watched_ == nullptr) {
      watched_ =
          *WatchedCluster::Start(PlainConfigOf(server_), KubernetesRelease());
    }
    cluster_ = std::make_unique<DescheduleCluster>();
    return watched_->Read(evicted, patience, stop_, cluster_->Loader());
  }

  // The names of the pods that were read.
  std::vector<std::string> Pods() const {
    std::vector<std::string> names;
    for (const ObjectKey& key : cluster_->state.Keys<Pod>()) {
      names.push_back(key.name);
    }
    return names;
  }

  int Lists() {
    const std::lock_guard lock(mutex_);
    int lists = 0;
    for (const auto& [path, count] : lists_) lists += count;
    return lists;
  }

  std::mutex mutex_;
  std::condition_variable told_;
  bool ended_ = false;                                     // Guarded by mutex_,
  std::map<std::string, std::vector<std::string>> items_;  // like these.
  std::map<std::string, std::vector<std::string>> events_;
  std::map<std::string, int> lists_;
  std::string forbidden_;
  bool silent_ = false;
  Stop stop_;
  TestHttpServer server_;
  std::unique_ptr<WatchedCluster> watched_;
  std::unique_ptr<DescheduleCluster> cluster_;
};

TEST_F(WatchedClusterTest, ListsEachResourceOnceHoweverOftenItIsRead) {
  ASSERT_EQ(Read(), absl::OkStatus());
  EXPECT_THAT(Pods(), ElementsAre("a"));
  Tell("ADDED", PodJson("b", "u-b"));
  Tell("MODIFIED", Terminating("a", "u-a"));
  ASSERT_EQ(Read({EvictionOf("a", "u-a")}), absl::OkStatus());
  EXPECT_THAT(Pods(), UnorderedElementsAre("a", "b"));
  Tell("DELETED", PodJson("b", "u-b"));
  ASSERT_EQ(Read({EvictionOf("b", "u-b")}), absl::OkStatus());
  EXPECT_THAT(Pods(), ElementsAre("a"));
  EXPECT_EQ(Lists(), static_cast<int>(kApiResources.size()));
}

TEST_F(WatchedClusterTest, FactsOfPodsAreRead) {
  items_[kPods] = {PodJson(
      "a", "u-a",
      R"(,"annotations":{"descheduler.alpha.kubernetes.io/evict":"true"})")};
  ASSERT_EQ(Read(), absl::OkStatus());
  const auto facts = cluster_->facts.find({"shop", "a"});
  ASSERT_NE(facts, cluster_->facts.end());
  EXPECT_TRUE(facts->second.evict_annotation);
}

TEST_F(WatchedClusterTest, WaitsUntilTheWatchHasToldOfAnEviction) {
  const std::vector<PlannedEviction> evicted = {EvictionOf("a", "u-a")};
  ASSERT_EQ(Read(), absl::OkStatus());
  const absl::Status status = Read(evicted, kShort);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("/api/v1/pods: the watch has not told of the eviction of "
                "shop/a"));
  EXPECT_THAT(Pods(), IsEmpty());
  Tell("MODIFIED", Terminating("a", "u-a"));
  EXPECT_EQ(Read(evicted), absl::OkStatus());
}

TEST_F(WatchedClusterTest, ANewPodOfTheNameIsNotTheEvictedOne) {
  ASSERT_EQ(Read({EvictionOf("a", "u-earlier")}), absl::OkStatus());
  EXPECT_THAT(Pods(), ElementsAre("a"));
}

TEST_F(WatchedClusterTest, AWatchThatIsNotAllowedIsAnErrorAtOnce) {
  forbidden_ = kNodes;
  absl::Status status;
  do {
    status = Read({}, kShort);
  } while (absl::IsUnavailable(status));
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/api/v1/nodes: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("you may not watch"));
}

TEST_F(WatchedClusterTest, AnObjectThatCannotBeReadIsAnErrorAsLongAsItIsThere) {
  items_[kPods] = {
      R"({"metadata":{"name":"a","namespace":"shop"},"spec":{"nodeName":7}})"};
  const absl::Status status = Read();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/api/v1/pods: spec.nodeName"));
  Tell("DELETED", PodJson("a", "u-a"));
  Tell("ADDED", PodJson("b", "u-b"));
  absl::Status later;
  do {
    later = Read();
  } while (later == status);
  ASSERT_EQ(later, absl::OkStatus());
}

TEST_F(WatchedClusterTest, ABrokenWatchIsWaitedFor) {
  ASSERT_EQ(Read(), absl::OkStatus());
  server_.CutAll();
  Tell("MODIFIED", Terminating("a", "u-a"));
  EXPECT_EQ(Read({EvictionOf("a", "u-a")}), absl::OkStatus());
}

TEST_F(WatchedClusterTest, StoppingEndsTheWait) {
  silent_ = true;
  stop_.Set();
  EXPECT_TRUE(absl::IsCancelled(Read({}, kLong)));
}

}  // namespace
}  // namespace vicinal
