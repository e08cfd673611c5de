#include "server/commands/explain/live_explainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/engine/run_plugins.h"
#include "core/index/stored_pod.h"
#include "core/testing/objects.h"
#include "server/scheduler_config/scheduler_config.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {allocatable: {pods: "9"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}, status: {allocatable: {pods: "9"}}}
)";

constexpr char kAlone[] = R"(
metadata: {name: alone, namespace: shop, uid: u1, labels: {app: alone}}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: alone}}
)";

class LiveExplainerTest : public ::testing::Test {
 protected:
  LiveExplainerTest() {
    store_.Write([](ClusterState& cluster) { AddObjects(cluster, kCluster); });
  }

  ClusterStore store_;
  Freshness always_fresh_{{}, std::chrono::seconds(0)};
  SchedulerProfiles profiles_;
  LiveExplainer explainer_{store_, always_fresh_, profiles_};
};

TEST_F(LiveExplainerTest, ARunningPodIsNotInItsOwnWayAndStaysWhereItIs) {
  store_.Write([](ClusterState& cluster) { AddPod(cluster, "n1", kAlone); });
  const auto result = explainer_.ExplainKnown({"shop", "alone"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->answer.explanation.fitting, 2u);
  EXPECT_THAT(result->warnings, ElementsAre(HasSubstr("runs on n1")));
  store_.Read([](const ClusterState& cluster) {
    const StoredPod* pod = cluster.FindPod({"shop", "alone"});
    ASSERT_NE(pod, nullptr);
    EXPECT_EQ(pod->node()->Name(), "n1");
    EXPECT_EQ(pod->uid(), "u1");
  });
  // Another pod finds it in its way.
  Pod other = MakePod(kAlone).pod;
  other.meta.name = "other";
  const auto blocked = explainer_.Explain(other);
  ASSERT_TRUE(blocked.ok());
  EXPECT_EQ(blocked->answer.explanation.fitting, 1u);
  EXPECT_THAT(blocked->warnings, IsEmpty());
}

TEST_F(LiveExplainerTest, TheSchedulersQuestionsGoOnMeanwhile) {
  store_.Write([](ClusterState& cluster) {
    Node node = *cluster.FindNode("n1")->node;
    Pod pod = MakePod(kAlone).pod;
    for (int i = 0; i < 1000; ++i) {
      node.meta.name = absl::StrCat("m", i);
      node.meta.labels.Set("kubernetes.io/hostname", node.meta.name);
      cluster.Upsert(node);
      for (int j = 0; j < 5; ++j) {
        pod.meta.name = absl::StrCat("p", i, "-", j);
        pod.meta.uid = pod.meta.name;
        pod.spec.node_name = node.meta.name;
        cluster.Upsert(pod);
      }
    }
  });
  std::atomic<bool> done = false;
  std::thread explaining([&] {
    const auto result = explainer_.ExplainKnown({"shop", "p500-0"});
    done = true;
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->answer.explanation.fitting, 2u);
  });
  // A question reads, and its answer writes: nothing of that may wait for the
  // explanation to end.
  Pod asked = MakePod(kAlone).pod;
  asked.meta.labels = {{"app", "other"}};
  asked.spec.affinity.reset();
  const PodInfo info(asked);
  int answers = 0;
  while (!done) {
    store_.Read([&](const ClusterState& cluster) {
      const NodeInfo* const node = cluster.FindNode("n1");
      EXPECT_TRUE(RunFilterPlugins(profiles_.Find("")->all, cluster, info,
                                   std::span(&node, 1))
                      .statuses.ok(0));
    });
    asked.meta.name = "answered";
    asked.spec.node_name = answers % 2 == 0 ? "" : "n2";
    store_.Write([&](ClusterState& cluster) { cluster.Upsert(asked); });
    ++answers;
  }
  explaining.join();
  EXPECT_GE(answers, 20);
}

TEST_F(LiveExplainerTest, TooManyAtATimeAreRefused) {
  std::atomic<int> refused = 0;
  std::atomic<int> explained = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 40; ++i) {
    clients.emplace_back([&] {
      const auto status = explainer_.Explain(MakePod(kAlone).pod).status();
      if (status.ok()) ++explained;
      if (absl::IsResourceExhausted(status)) ++refused;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(explained + refused, 40);
  EXPECT_GE(explained, 1);
}

TEST_F(LiveExplainerTest, MistakesAreTold) {
  EXPECT_EQ(explainer_.ExplainKnown({"shop", "nobody"}).status().message(),
            "no pod shop/nobody that is not finished is known");
  Pod pod = MakePod(kAlone).pod;
  pod.meta.namespace_name = "shopp";
  const auto result = explainer_.Explain(pod);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->warnings, ElementsAre(HasSubstr("did you mean shop?")));
}

TEST_F(LiveExplainerTest, RefusesWhileTheStateIsNotFresh) {
  const Freshness never({"pods"}, std::chrono::seconds(0));
  const LiveExplainer explainer(store_, never, profiles_);
  EXPECT_EQ(explainer.Explain(MakePod(kAlone).pod).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(explainer.ExplainKnown({"shop", "alone"}).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(LiveExplainerTest, EachPodIsExplainedByItsOwnProfile) {
  const auto config = ReadSchedulerConfig(R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: heavy
  plugins: {score: {disabled: [{name: ImageLocality}], enabled: [{name: ImageLocality, weight: 7}]}}
)");
  ASSERT_TRUE(config.ok()) << config.status();
  const auto profiles = SchedulerProfiles::FromConfig(*config, false);
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  const LiveExplainer explainer(store_, always_fresh_, *profiles);
  Pod pod = MakePod(kAlone).pod;
  EXPECT_THAT(std::string(explainer.Explain(pod).status().message()),
              HasSubstr("has no profile"));
  pod.spec.scheduler_name = "heavy";
  const auto result = explainer.Explain(pod);
  ASSERT_TRUE(result.ok()) << result.status();
  std::int64_t weight = 0;
  for (const ScorePluginInfo& plugin :
       result->answer.explanation.score_plugins) {
    if (plugin.plugin == "ImageLocality") weight = plugin.weight;
  }
  EXPECT_EQ(weight, 7);
}

}  // namespace
}  // namespace vicinal
