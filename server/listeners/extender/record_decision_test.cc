// What the record of the last decisions says about answers of filter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/read_objects.h"
#include "server/decisions/decision_ring.h"
#include "server/listeners/extender/extender_service.h"

namespace vicinal {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outcome = DecisionRecord::Outcome;

// Pods of app=a like n1; n3 is full.
constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, labels: {kubernetes.io/hostname: n1, disk: ssd}}
  status: {allocatable: {pods: 110}}
- apiVersion: v1
  kind: Node
  metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
  status: {allocatable: {pods: 110}}
- apiVersion: v1
  kind: Node
  metadata: {name: n3, labels: {kubernetes.io/hostname: n3}}
  status: {allocatable: {pods: 110}}
- apiVersion: v1
  kind: Pod
  metadata: {name: a3, namespace: shop, labels: {app: a}}
  spec: {nodeName: n3}
)";

// Must not be beside another of its app, and likes n1.
Pod WebPod() {
  Pod pod;
  pod.meta.name = "web-1";
  pod.meta.namespace_name = "shop";
  pod.meta.uid = "u1";
  const auto objects = ReadObjects(R"(
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, uid: u1, labels: {app: a}}
spec:
  schedulerName: default-scheduler
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        preference: {matchExpressions: [{key: disk, operator: Exists}]}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: a}}
)");
  EXPECT_TRUE(objects.ok()) << objects.status();
  return objects.ok() ? std::get<Pod>(objects->front()) : pod;
}

class RecordDecisionTest : public ::testing::Test {
 protected:
  RecordDecisionTest() {
    absl::StatusOr<std::vector<Object>> objects = ReadObjects(kCluster);
    EXPECT_TRUE(objects.ok()) << objects.status();
    store_.Write([&objects](ClusterState& cluster) {
      for (Object& object : *objects) cluster.Upsert(std::move(object));
    });
  }

  // What is kept of this question.
  DecisionRecord Ask(Pod pod, std::vector<std::string_view> nodes,
                     ExtenderMode mode = ExtenderMode::kDecide) {
    ExtenderOptions options;
    options.mode = mode;
    const ExtenderService service(store_, in_flight_, freshness_, metrics_,
                                  profiles_, options, nullptr, nullptr, nullptr,
                                  &ring_);
    (void)service.Filter({std::move(pod), std::move(nodes), ""});
    const DecisionRing::Decisions all = ring_.All();
    return all.empty() ? DecisionRecord() : *all.back();
  }

  DecisionRing ring_{8};
  ClusterStore store_;
  Freshness freshness_{{}, std::chrono::seconds(0)};
  Metrics metrics_;
  InFlightPods in_flight_{store_, metrics_, {.enabled = false}};
  SchedulerProfiles profiles_;
};

TEST_F(RecordDecisionTest, SaysTheNodeTheRunnerUpAndTheirScores) {
  const DecisionRecord decision = Ask(WebPod(), {"n1", "n2", "n3", "n9"});
  EXPECT_EQ(decision.number, 1u);
  EXPECT_EQ(decision.namespace_name, "shop");
  EXPECT_EQ(decision.name, "web-1");
  EXPECT_EQ(decision.uid, "u1");
  EXPECT_EQ(decision.scheduler, "default-scheduler");
  EXPECT_EQ(decision.outcome, Outcome::kNode);
  EXPECT_EQ(decision.candidates, 4u);
  EXPECT_EQ(decision.fitting, 2u);
  EXPECT_EQ(decision.best, 1u);
  EXPECT_EQ(decision.node, "n1");
  EXPECT_EQ(decision.runner_up, "n2");
  // The default weight of NodeAffinity is 2.
  EXPECT_EQ(decision.node_total, decision.runner_up_total + 200);
  EXPECT_THAT(decision.scores, testing::Contains(DecisionRecord::PluginScore{
                                   "NodeAffinity", 2, 100, 0}));
  std::int64_t node = 0;
  std::int64_t runner_up = 0;
  for (const DecisionRecord::PluginScore& score : decision.scores) {
    node += score.weight * score.node;
    runner_up += score.weight * score.runner_up;
  }
  EXPECT_EQ(decision.node_total, node);
  EXPECT_EQ(decision.runner_up_total, runner_up);
  EXPECT_EQ(decision.generation, store_.generation());
  EXPECT_GE(decision.took, decision.waited);
}

TEST_F(RecordDecisionTest, AmongEqualNodesTheOtherIsTheRunnerUp) {
  Pod pod = WebPod();
  pod.spec = PodSpec();
  const DecisionRecord decision = Ask(pod, {"n2", "n1"});
  EXPECT_EQ(decision.best, 2u);
  EXPECT_THAT(decision.node + decision.runner_up, AnyOf("n1n2", "n2n1"));
  EXPECT_EQ(decision.node_total, decision.runner_up_total);
}

TEST_F(RecordDecisionTest, ANodeThatAloneFitsHasNoScores) {
  const DecisionRecord decision = Ask(WebPod(), {"n2", "n3"});
  EXPECT_EQ(decision.node, "n2");
  EXPECT_EQ(decision.fitting, 1u);
  EXPECT_EQ(decision.best, 0u);
  EXPECT_EQ(decision.runner_up, "");
  EXPECT_THAT(decision.scores, IsEmpty());
}

TEST_F(RecordDecisionTest, SaysWhyNoNodeFits) {
  for (const ExtenderMode mode :
       {ExtenderMode::kDecide, ExtenderMode::kAdvise}) {
    DecisionRecord decision = Ask(WebPod(), {"n3"}, mode);
    EXPECT_EQ(decision.outcome, Outcome::kNone);
    EXPECT_EQ(decision.fitting, 0u);
    EXPECT_EQ(decision.node, "");
    EXPECT_EQ(decision.reason,
              "0/1 nodes are available: 1 node(s) didn't match pod "
              "anti-affinity rules.");
    decision = Ask(WebPod(), {"n8", "n9"}, mode);
    EXPECT_EQ(decision.reason, "2 node(s): node(s) not known to vicinal yet.");
    decision = Ask(WebPod(), {}, mode);
    EXPECT_EQ(decision.reason, "no node was asked about");
  }
}

TEST_F(RecordDecisionTest, InAdviseTheSchedulerChooses) {
  const DecisionRecord decision =
      Ask(WebPod(), {"n1", "n2", "n3"}, ExtenderMode::kAdvise);
  EXPECT_EQ(decision.outcome, Outcome::kSeveral);
  EXPECT_EQ(decision.fitting, 2u);
  EXPECT_EQ(decision.node, "");
  EXPECT_THAT(decision.scores, IsEmpty());
}

TEST_F(RecordDecisionTest, AnErrorIsTheReason) {
  const SchedulerConfig none;
  profiles_ = *SchedulerProfiles::FromConfig(none, true);
  const DecisionRecord decision = Ask(WebPod(), {"n1"});
  EXPECT_EQ(decision.outcome, Outcome::kError);
  EXPECT_THAT(decision.reason, HasSubstr("default-scheduler"));
  EXPECT_EQ(decision.node, "");
}

TEST_F(RecordDecisionTest, APodThatIsAskedTwiceHasTwoDecisions) {
  Ask(WebPod(), {"n1"});
  Ask(WebPod(), {"n2"});
  const DecisionRing::Decisions all = ring_.All();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->node, "n1");
  EXPECT_EQ(all[1]->node, "n2");
}

TEST_F(RecordDecisionTest, HypotheticalQuestionsAreNotKept) {
  Pod pod = WebPod();
  pod.meta.uid.clear();
  Ask(pod, {"n1"});
  EXPECT_THAT(ring_.All(), IsEmpty());
}

}  // namespace
}  // namespace vicinal
