#include "test/bench/generated_cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "test/bench/bench_question.h"

namespace vicinal {
namespace {

constexpr std::int64_t kNodes = 240;
constexpr std::int64_t kPods = 1600;  // 40 workloads

TEST(GeneratedClusterTest, PodsHaveNamesAndUidsOfTheirOwn) {
  const GeneratedCluster source(kNodes, kPods, /*images=*/0);
  std::set<ObjectKey> keys;
  std::set<std::string> uids;
  for (std::int64_t i = 0; i < kPods; ++i) {
    keys.insert(KeyOf(source.PodAt(i).meta));
    uids.insert(source.PodAt(i).meta.uid);
  }
  EXPECT_EQ(keys.size(), kPods);
  EXPECT_EQ(uids.size(), kPods);
}

TEST(GeneratedClusterTest, StatefulSetsAndJobsGiveEachPodLabelsOfItsOwn) {
  const GeneratedCluster source(kNodes, kPods, /*images=*/0);
  std::map<std::string, std::set<Labels>> labels;  // By the owner's kind.
  for (std::int64_t i = 0; i < kPods; ++i) {
    const Pod pod = source.PodAt(i);
    labels[ControllerOf(pod.meta)->kind].insert(pod.meta.labels);
  }
  EXPECT_EQ(labels["ReplicaSet"].size(), 2 * 12);
  EXPECT_EQ(labels["StatefulSet"].size(),
            2 * 4 * GeneratedCluster::kPodsPerWorkload);
  EXPECT_EQ(labels["Job"].size(), 2 * 4 * GeneratedCluster::kPodsPerWorkload);
}

TEST(GeneratedClusterTest, PodsRunOnNodesOfTheClusterOnePerWorkload) {
  const GeneratedCluster source(kNodes, kPods, /*images=*/0);
  std::set<std::string> names;
  for (std::int64_t i = 0; i < kNodes; ++i) {
    names.insert(source.NodeAt(i).meta.name);
  }
  std::map<std::int64_t, std::set<std::string>> nodes;
  for (std::int64_t i = 0; i < kPods; ++i) {
    const std::string name = source.PodAt(i).spec.node_name;
    EXPECT_TRUE(names.contains(name)) << name;
    nodes[i / GeneratedCluster::kPodsPerWorkload].insert(name);
  }
  for (const auto& [workload, taken] : nodes) {
    EXPECT_EQ(taken.size(), GeneratedCluster::kPodsPerWorkload) << workload;
  }
}

// Otherwise the benchmark would measure how fast nodes are refused.
TEST(GeneratedClusterTest, TheEverythingPodFitsSomeNodesAndIsScoredByBoth) {
  const GeneratedCluster source(kNodes, kPods, /*images=*/0);
  ClusterState cluster;
  for (std::int64_t i = 0; i < GeneratedCluster::kNamespaces; ++i) {
    cluster.Upsert(source.NamespaceAt(i));
  }
  for (std::int64_t i = 0; i < kNodes; ++i) cluster.Upsert(source.NodeAt(i));
  for (std::int64_t i = 0; i < kPods; ++i) cluster.Upsert(source.PodAt(i));
  const PodInfo pod(source.EverythingPod(1));
  const BenchAnswer answer =
      AskQuestion(BenchProfile(), cluster, pod, cluster.Nodes(),
                  /*feasible_only=*/false);
  std::map<Code, int> codes;
  for (std::size_t i = 0; i < answer.filter.statuses.size(); ++i) {
    ++codes[answer.filter.statuses[i].code()];
  }
  EXPECT_GT(codes[Code::kSuccess], 0);
  EXPECT_GT(codes[Code::kUnschedulable], 0);
  EXPECT_EQ(answer.score.plugins.size(), 2u);
  EXPECT_EQ(answer.score.totals.size(), kNodes);
}

}  // namespace
}  // namespace vicinal
