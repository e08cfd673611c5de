#include "server/state/pod_event_handler.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/index/stored_pod.h"
#include "core/testing/objects.h"
#include "server/kubernetes/testing/json_object.h"

namespace vicinal {
namespace {

class PodEventHandlerTest : public ::testing::Test {
 protected:
  static JsonObject Json(std::string_view uid, std::string_view node = "") {
    return JsonObject(
        R"({"metadata":{"namespace":"default","name":"q","uid":")" +
        std::string(uid) + R"("},"spec":{"nodeName":")" + std::string(node) +
        R"("}})");
  }

  void Assume(std::string_view uid) {
    Pod pod = ParsePod("{metadata: {namespace: default, name: q}}");
    pod.meta.uid = uid;
    auto question = in_flight_.Ask(std::make_shared<const PodInfo>(pod));
    ASSERT_TRUE(question.ok()) << question.status();
    ASSERT_TRUE(question->Assume("n1").ok());
  }

  std::string Where() const {
    return store_.Read([](const ClusterState& cluster) -> std::string {
      const StoredPod* pod = cluster.FindPod({"default", "q"});
      if (pod == nullptr) return "unknown";
      return pod->node() == nullptr ? "pending" : pod->node()->Name();
    });
  }

  ClusterStore store_;
  Metrics metrics_;
  Freshness freshness_{{"pods"}, std::chrono::seconds(0)};
  InFlightPods in_flight_{store_, metrics_, {}};
  PodEventHandler sink_{"pods", store_, in_flight_, freshness_, metrics_};
};

TEST_F(PodEventHandlerTest, EventsAndListsDoNotUndoAnAssumedPlacement) {
  Assume("u1");
  sink_.OnChanged(Json("u1"));
  EXPECT_EQ(Where(), "n1");
  sink_.OnListStart();
  sink_.OnListed(Json("u1"));
  sink_.OnListEnd("7");
  EXPECT_EQ(Where(), "n1");
}

TEST_F(PodEventHandlerTest, TheDeletionOfAnEarlierPodDoesNotCount) {
  sink_.OnChanged(Json("u1"));
  Assume("u2");
  sink_.OnDeleted(Json("u1"));
  EXPECT_EQ(Where(), "n1");
  sink_.OnDeleted(Json("u2"));
  EXPECT_EQ(Where(), "unknown");
}

TEST_F(PodEventHandlerTest, WhatANewListDoesNotHaveIsGone) {
  sink_.OnChanged(Json("u1"));
  Assume("u1");
  sink_.OnListStart();
  sink_.OnListEnd("7");
  EXPECT_EQ(Where(), "unknown");
}

}  // namespace
}  // namespace vicinal
