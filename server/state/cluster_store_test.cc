#include "server/state/cluster_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/index/pod_query.h"
#include "core/index/topology_index.h"
#include "core/model/labels.h"
#include "core/model/selector.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

TEST(ClusterStoreTest, DistinctQuestionsDoNotPileUpThoughNothingChanges) {
  ClusterStore store;
  constexpr int kQuestions = 20'000;
  store.Write([](ClusterState& cluster) {
    std::vector<Labels::Entry> labels;
    for (int i = 0; i < kQuestions; ++i) {
      labels.emplace_back("key" + std::to_string(i), "v");
    }
    AddNode(cluster, "n1", Labels(std::move(labels)));
    AddPod(cluster, "n1", "{metadata: {name: p, labels: {app: web}}}");
  });
  std::size_t most = 0;
  for (int i = 0; i < kQuestions; ++i) {
    store.Read([&](const ClusterState& cluster) {
      PodQuery query;
      query.conditions.resize(1);
      query.conditions[0].all_namespaces = true;
      query.conditions[0].selector =
          Selector::FromSet(Labels({{"app", std::to_string(i)}}));
      cluster.topology().Count(query);
      cluster.topology().Domains("key" + std::to_string(i));
      most = std::max(most, cluster.topology().size().counters);
    });
  }
  EXPECT_LT(most, kQuestions / 2);
  const TopologyIndex::Size size = store.Read(
      [](const ClusterState& cluster) { return cluster.topology().size(); });
  EXPECT_LT(size.topology_keys, kQuestions / 20);
  // What matters is still counted.
  PodQuery query;
  query.conditions.resize(1);
  query.conditions[0].all_namespaces = true;
  query.conditions[0].selector = Selector::FromSet(Labels({{"app", "web"}}));
  store.Read([&](const ClusterState& cluster) {
    EXPECT_EQ(cluster.topology().Count(query).by_node().size(), 1);
  });
}

}  // namespace
}  // namespace vicinal
