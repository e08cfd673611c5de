#include "server/state/resource_event_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "core/testing/encode_protobuf.h"
#include "server/kubernetes/testing/json_object.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::steady_clock::time_point kLongAgo;

using Json = JsonObject;

// A sink for one kind of object, and what it writes to.
template <typename Kind>
class Sink {
 public:
  explicit Sink(const std::string& resource,
                std::chrono::seconds max_outage = std::chrono::seconds(0))
      : freshness_({resource}, max_outage),
        sink_(resource, store_, freshness_, metrics_) {}

  ResourceHandler* operator->() { return &sink_; }

  void List(const std::vector<std::string>& objects,
            std::string_view resource_version = "1") {
    sink_.OnListStart();
    for (const std::string& object : objects) sink_.OnListed(Json(object));
    sink_.OnListEnd(resource_version);
  }

  // The "namespace/name" of all objects.
  std::vector<std::string> Names() const {
    return store_.Read([](const ClusterState& cluster) {
      std::vector<std::string> names;
      for (const ObjectKey& key : cluster.template Keys<Kind>()) {
        names.push_back(key.namespace_name + "/" + key.name);
      }
      std::sort(names.begin(), names.end());
      return names;
    });
  }

  bool IsFresh() const {
    return freshness_.Check(Freshness::Clock::now() + std::chrono::seconds(1))
        .ok();
  }

  std::string Metrics() const { return metrics_.Render(); }
  const ClusterStore& store() const { return store_; }

 private:
  ClusterStore store_;
  Freshness freshness_;
  vicinal::Metrics metrics_;
  ResourceEventHandler<Kind> sink_;
};

std::string PodJson(std::string_view name, std::string_view node = "") {
  return R"({"metadata":{"namespace":"a","name":")" + std::string(name) +
         R"("},"spec":{"nodeName":")" + std::string(node) + R"("}})";
}

// As PodJson, but of a kind that vicinal refuses.
std::string UnreadablePodJson(std::string_view name) {
  return R"({"metadata":{"namespace":"a","name":")" + std::string(name) +
         R"("},"spec":{"nodeName":5}})";
}

// Where pod a/<name> is; nothing if it is not known.
std::optional<std::string> NodeOf(const Sink<Pod>& sink,
                                  const std::string& name) {
  return sink.store().Read(
      [&](const ClusterState& cluster) -> std::optional<std::string> {
        const StoredPod* pod = cluster.FindPod({"a", name});
        if (pod == nullptr) return std::nullopt;
        return pod->ToPod().spec.node_name;
      });
}

TEST(ResourceEventHandlerTest, AListBringsItsObjects) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1", "n1"), PodJson("p2")});
  EXPECT_THAT(sink.Names(), ElementsAre("a/p1", "a/p2"));
  EXPECT_EQ(NodeOf(sink, "p1"), "n1");
}

TEST(ResourceEventHandlerTest, IsFreshOnlyAfterTheWholeList) {
  Sink<Pod> sink("pods");
  EXPECT_FALSE(sink.IsFresh());
  sink->OnListStart();
  sink->OnListed(Json(PodJson("p1")));
  EXPECT_FALSE(sink.IsFresh());
  sink->OnListEnd("1");
  sink->OnWatchStart();
  EXPECT_TRUE(sink.IsFresh());
}

TEST(ResourceEventHandlerTest, WhatANewListDoesNotHaveIsGone) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1", "n1"), PodJson("p2", "n1"), PodJson("p3", "n1")});
  sink.List({PodJson("p2", "n2"), PodJson("p4", "n2")});
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2", "a/p4"));
  EXPECT_EQ(NodeOf(sink, "p2"), "n2");
  sink.List({});
  EXPECT_THAT(sink.Names(), IsEmpty());
}

TEST(ResourceEventHandlerTest, UntilANewListEndsTheOldStateStays) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1"), PodJson("p2")});
  sink->OnListStart();
  sink->OnListed(Json(PodJson("p3")));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p1", "a/p2", "a/p3"));
}

TEST(ResourceEventHandlerTest, WhatABrokenOffListHadDoesNotCount) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1")});
  sink->OnListStart();
  sink->OnListed(Json(PodJson("p1")));
  sink->OnListed(Json(PodJson("p2")));
  sink.List({PodJson("p3")});
  EXPECT_THAT(sink.Names(), ElementsAre("a/p3"));
}

TEST(ResourceEventHandlerTest, WhatABrokenOffFirstListHadDoesNotCount) {
  Sink<Pod> sink("pods");
  sink->OnListStart();
  sink->OnListed(Json(PodJson("p1")));
  sink->OnListed(Json(PodJson("p2")));
  sink.List({PodJson("p2"), PodJson("p3")});
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2", "a/p3"));
}

TEST(ResourceEventHandlerTest, WhatWasThereBeforeTheFirstListIsGone) {
  Sink<Pod> sink("pods");
  sink->OnChanged(Json(PodJson("p1")));
  sink.List({PodJson("p2")});
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2"));
}

TEST(ResourceEventHandlerTest, WhatIsDeletedDuringTheFirstListIsGone) {
  Sink<Pod> sink("pods");
  sink->OnListStart();
  sink->OnListed(Json(PodJson("p1")));
  sink->OnListed(Json(PodJson("p2")));
  sink->OnDeleted(Json(PodJson("p1")));
  sink->OnListEnd("1");
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2"));
}

TEST(ResourceEventHandlerTest, EventsAddChangeAndDelete) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1")});
  sink->OnWatchStart();
  sink->OnChanged(Json(PodJson("p2", "n1")));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p1", "a/p2"));
  sink->OnChanged(Json(PodJson("p1", "n2")));
  EXPECT_EQ(NodeOf(sink, "p1"), "n2");
  sink->OnDeleted(Json(PodJson("p1", "n2")));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2"));
  sink->OnDeleted(Json(PodJson("never seen")));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2"));
}

TEST(ResourceEventHandlerTest, AFinishedPodIsGone) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1", "n1")});
  sink->OnChanged(Json(
      R"({"metadata":{"namespace":"a","name":"p1"},"spec":{"nodeName":"n1"},
          "status":{"phase":"Succeeded"}})"));
  EXPECT_THAT(sink.Names(), IsEmpty());
}

TEST(ResourceEventHandlerTest, ObjectsOfOtherKindsAreKeptApartByNamespace) {
  Sink<ReplicaSet> sink("replicasets");
  sink.List({R"({"metadata":{"namespace":"a","name":"x"}})",
             R"({"metadata":{"namespace":"b","name":"x"}})"});
  EXPECT_THAT(sink.Names(), ElementsAre("a/x", "b/x"));
  sink->OnDeleted(Json(R"({"metadata":{"namespace":"a","name":"x"}})"));
  EXPECT_THAT(sink.Names(), ElementsAre("b/x"));
  sink.List({R"({"metadata":{"namespace":"c","name":"x"}})"});
  EXPECT_THAT(sink.Names(), ElementsAre("c/x"));
}

TEST(ResourceEventHandlerTest, ANodeThatANewListDoesNotHaveIsGone) {
  Sink<Node> sink("nodes");
  sink.List({R"({"metadata":{"name":"n1"}})", R"({"metadata":{"name":"n2"}})"});
  EXPECT_THAT(sink.Names(), ElementsAre("/n1", "/n2"));
  sink.List({R"({"metadata":{"name":"n2"}})"});
  EXPECT_THAT(sink.Names(), ElementsAre("/n2"));
}

TEST(ResourceEventHandlerTest, AnUnreadableObjectIsLeftOutAndCounted) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1"), UnreadablePodJson("p2"), "{\"metadata\"", "[]",
             PodJson("p3")});
  EXPECT_THAT(sink.Names(), ElementsAre("a/p1", "a/p3"));
  sink->OnChanged(Json(UnreadablePodJson("p4")));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p1", "a/p3"));
  EXPECT_THAT(sink.Metrics(),
              HasSubstr("vicinal_decode_errors_total{resource=\"pods\"} 4\n"));
  sink->OnWatchStart();
  EXPECT_TRUE(sink.IsFresh());
}

TEST(ResourceEventHandlerTest, WhatBecomesUnreadableKeepsItsLastReadableState) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1", "n1"), PodJson("p2", "n1")});
  sink->OnChanged(Json(UnreadablePodJson("p1")));
  EXPECT_EQ(NodeOf(sink, "p1"), "n1");
  sink.List({UnreadablePodJson("p1"), PodJson("p2", "n2")});
  EXPECT_EQ(NodeOf(sink, "p1"), "n1");
  EXPECT_EQ(NodeOf(sink, "p2"), "n2");
  sink->OnChanged(Json(PodJson("p1", "n3")));
  EXPECT_EQ(NodeOf(sink, "p1"), "n3");
}

TEST(ResourceEventHandlerTest, WhatIsDeletedWhileUnreadableIsGone) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1", "n1"), PodJson("p2", "n1")});
  sink->OnChanged(Json(UnreadablePodJson("p1")));
  sink->OnDeleted(Json(UnreadablePodJson("p1")));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2"));
  // One that does not even say which it is.
  sink->OnDeleted(Json("{\"metadata\":{\"name\":5}}"));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2"));
}

TEST(ResourceEventHandlerTest,
     AnOutageBeginsWithAnErrorAndEndsWithTheNextWatch) {
  Sink<Pod> sink("pods");
  sink.List({PodJson("p1")});
  sink->OnWatchStart();
  EXPECT_TRUE(sink.IsFresh());
  sink->OnDisconnected(absl::UnavailableError("cut"), kLongAgo);
  EXPECT_FALSE(sink.IsFresh());
  EXPECT_THAT(sink.Names(), ElementsAre("a/p1"));
  sink->OnWatchStart();
  EXPECT_TRUE(sink.IsFresh());
}

TEST(ResourceEventHandlerTest, AnOutageBeginsWhenTheLastByteCame) {
  Sink<Pod> sink("pods", std::chrono::seconds(30));
  sink.List({});
  sink->OnWatchStart();
  sink->OnDisconnected(absl::UnavailableError("cut"),
                       Freshness::Clock::now() - std::chrono::seconds(20));
  EXPECT_TRUE(sink.IsFresh());
  sink->OnWatchStart();
  sink->OnDisconnected(absl::UnavailableError("cut"),
                       Freshness::Clock::now() - std::chrono::seconds(31));
  EXPECT_FALSE(sink.IsFresh());
}

TEST(ResourceEventHandlerTest, AListCountsUntilItsWatchBegins) {
  Sink<Pod> sink("pods", std::chrono::seconds(30));
  sink.List({});
  EXPECT_TRUE(sink.IsFresh());
  sink->OnWatchStart();
  sink->OnDisconnected(absl::UnavailableError("cut"), kLongAgo);
  sink->OnListStart();
  EXPECT_FALSE(sink.IsFresh());
  sink->OnListEnd("2");
  EXPECT_TRUE(sink.IsFresh());
}

TEST(ResourceEventHandlerTest, AWatchNotYetAnsweredIsAnOutage) {
  Sink<Pod> sink("pods");  // Bears none.
  sink.List({});
  EXPECT_FALSE(sink.IsFresh());
  sink->OnWatchStart();
  EXPECT_TRUE(sink.IsFresh());
  sink->OnDisconnected(absl::OkStatus(), kLongAgo);
  EXPECT_FALSE(sink.IsFresh());
  EXPECT_THAT(
      sink.Metrics(),
      HasSubstr("vicinal_watch_disconnects_total{resource=\"pods\"} 0\n"));
}

TEST(ResourceEventHandlerTest, CountsWhatHappens) {
  Sink<Pod> sink("pods");
  sink.List({}, "100");
  sink->OnWatchStart();
  sink->OnDisconnected(absl::UnavailableError("cut"), kLongAgo);
  sink->OnWatchStart();
  sink->OnDisconnected(absl::UnavailableError("cut"), kLongAgo);
  sink.List({}, "200");
  sink->OnWatchStart();
  const std::string metrics = sink.Metrics();
  for (const char* line :
       {"vicinal_watch_lists_total{resource=\"pods\"} 2\n",
        "vicinal_watch_starts_total{resource=\"pods\"} 3\n",
        "vicinal_watch_disconnects_total{resource=\"pods\"} 2\n",
        "vicinal_decode_errors_total{resource=\"pods\"} 0\n",
        "vicinal_watch_resource_version{resource=\"pods\"} 200\n"}) {
    EXPECT_THAT(metrics, HasSubstr(line));
  }
}

// The value of one line of the metrics.
double ValueOf(const std::string& metrics, const std::string& series) {
  const std::size_t begin = metrics.find("\n" + series + " ");
  if (begin == std::string::npos) return -1;
  return std::stod(metrics.substr(begin + series.size() + 2));
}

// A pod that was created so many seconds ago, by its own account.
std::string PodOfAge(std::chrono::seconds age) {
  const std::time_t time =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) -
      age.count();
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::ostringstream json;
  json << R"({"metadata":{"namespace":"a","name":"p1","creationTimestamp":")"
       << std::put_time(&utc, "%Y-%m-%dT%H:%M:%SZ") << R"("}})";
  return json.str();
}

TEST(ResourceEventHandlerTest, TheLagIsFromTheObjectsOwnTime) {
  const std::string sum = "vicinal_event_lag_seconds_sum{resource=\"pods\"}";
  const std::string count =
      "vicinal_event_lag_seconds_count{resource=\"pods\"}";
  Sink<Pod> sink("pods");
  sink.List({PodOfAge(std::chrono::seconds(100))});
  EXPECT_EQ(ValueOf(sink.Metrics(), count), 0);  // Old by right.
  sink->OnChanged(Json(PodOfAge(std::chrono::seconds(100))));
  EXPECT_EQ(ValueOf(sink.Metrics(), count), 1);
  EXPECT_GE(ValueOf(sink.Metrics(), sum), 100);
  EXPECT_LT(ValueOf(sink.Metrics(), sum), 102);
  // A clock that is ahead of ours makes no negative lag.
  sink->OnChanged(Json(PodOfAge(std::chrono::seconds(-100))));
  EXPECT_EQ(ValueOf(sink.Metrics(), count), 2);
  EXPECT_LT(ValueOf(sink.Metrics(), sum), 102);
  // Nor does one from a time that our clock cannot tell.
  sink->OnChanged(Json(
      R"({"metadata":{"namespace":"a","name":"p1",
          "creationTimestamp":"4052-11-21T19:07:26Z"}})"));
  EXPECT_EQ(ValueOf(sink.Metrics(), count), 3);
  EXPECT_LT(ValueOf(sink.Metrics(), sum), 102);
  // One that does not say when it was changed.
  sink->OnChanged(Json(PodJson("p2")));
  EXPECT_EQ(ValueOf(sink.Metrics(), count), 3);
}

TEST(ResourceEventHandlerTest, EventsThatArriveTogetherWaitForEachOther) {
  const std::string labels = "{resource=\"pods\"}";
  const std::string sum = "vicinal_event_apply_duration_seconds_sum" + labels;
  const std::string count =
      "vicinal_event_apply_duration_seconds_count" + labels;
  Sink<Pod> sink("pods");
  sink.List({});
  sink->OnWatchStart();
  sink->OnChanged(Json(PodJson("p1")));
  EXPECT_LT(ValueOf(sink.Metrics(), sum), 0.05);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  sink->OnChanged(Json(PodJson("p2")));  // In the same batch.
  sink->OnBatchEnd();
  const double after_batch = ValueOf(sink.Metrics(), sum);
  EXPECT_GE(after_batch, 0.1);
  sink->OnDeleted(Json(PodJson("p1")));  // In the next.
  sink->OnBatchEnd();
  EXPECT_LT(ValueOf(sink.Metrics(), sum), after_batch + 0.05);
  EXPECT_EQ(ValueOf(sink.Metrics(), count), 3);
  sink->OnChanged(Json(UnreadablePodJson("p3")));
  EXPECT_EQ(ValueOf(sink.Metrics(), count), 3);
}

TEST(ResourceEventHandlerTest, TellsTheResourceVersion) {
  Sink<Pod> sink("pods");
  const auto told = [&sink] {
    const std::string metrics = sink.Metrics();
    const std::string name =
        "\nvicinal_watch_resource_version{resource=\"pods\"} ";
    const std::size_t begin = metrics.find(name) + name.size();
    return metrics.substr(begin, metrics.find('\n', begin) - begin);
  };
  sink.List({}, "17");
  EXPECT_EQ(told(), "17");
  sink->OnResourceVersion("4711");
  sink->OnBatchEnd();
  EXPECT_EQ(told(), "4711");
  sink->OnResourceVersion("opaque");
  EXPECT_EQ(told(), "0");
}

RawObject Protobuf(std::string_view message) {
  return {Encoding::kProtobuf,
          simdjson::padded_string_view(message.data(), message.size(),
                                       message.size())};
}

// As PodJson.
std::string PodProtobuf(std::string_view name, std::string_view node) {
  return WireBytes(1, WireBytes(1, name) + WireBytes(3, "a")) +
         WireBytes(2, WireBytes(10, node));
}

// spec.nodeName is a number.
std::string UnreadablePodProtobuf(std::string_view name) {
  return WireBytes(1, WireBytes(1, name) + WireBytes(3, "a")) +
         WireBytes(2, WireNumber(10, 5));
}

TEST(ResourceEventHandlerTest, TakesProtobufAsItTakesJson) {
  Sink<Pod> sink("pods");
  EXPECT_TRUE(sink->TakesProtobuf());
  sink->OnListStart();
  sink->OnListed(Protobuf(PodProtobuf("p1", "n1")));
  sink->OnListed(Json(PodJson("p2", "n1")));
  sink->OnListEnd("1");
  sink->OnWatchStart();
  sink->OnChanged(Protobuf(PodProtobuf("p2", "n2")));
  sink->OnChanged(Protobuf(PodProtobuf("p3", "n3")));
  sink->OnDeleted(Protobuf(PodProtobuf("p1", "n1")));
  EXPECT_THAT(sink.Names(), ElementsAre("a/p2", "a/p3"));
  EXPECT_EQ(NodeOf(sink, "p2"), "n2");
}

TEST(ResourceEventHandlerTest, KeepsTheLastReadableStateOfProtobuf) {
  Sink<Pod> sink("pods");
  sink->OnListStart();
  sink->OnListed(Protobuf(PodProtobuf("p1", "n1")));
  sink->OnListed(Protobuf(PodProtobuf("p2", "n1")));
  sink->OnListEnd("1");
  sink->OnListStart();
  sink->OnListed(Protobuf(UnreadablePodProtobuf("p1")));
  sink->OnListEnd("2");
  EXPECT_THAT(sink.Names(), ElementsAre("a/p1"));
  sink->OnDeleted(Protobuf(UnreadablePodProtobuf("p1")));
  EXPECT_THAT(sink.Names(), IsEmpty());
  EXPECT_THAT(sink.Metrics(),
              HasSubstr("vicinal_decode_errors_total{resource=\"pods\"} 1"));
}

TEST(ResourceEventHandlerTest, TheLagOfProtobufIsMeasured) {
  Sink<Pod> sink("pods");
  sink.List({});
  sink->OnChanged(Protobuf(PodProtobuf("p1", "n1")));
  sink->OnChanged(Protobuf(WireBytes(
      1, WireBytes(1, "p2") + WireBytes(3, "a") + WireTime(8, 1'767'225'600))));
  EXPECT_THAT(
      sink.Metrics(),
      HasSubstr("vicinal_event_lag_seconds_count{resource=\"pods\"} 1"));
}

}  // namespace
}  // namespace vicinal
