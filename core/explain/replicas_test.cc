#include "core/explain/replicas.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/engine/default_profile.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

ReplicaAnswer Place(ClusterState& cluster, const PodInfo& pod,
                    const PodExtras& extras, std::size_t asked) {
  const PluginConfig config;
  ClusterExtras cluster_extras;
  const CompleteFilters filters = MakeCompleteFilters(
      config, [](std::string_view) { return true; }, pod, extras,
      cluster_extras);
  const Profile profile = DefaultProfile(config);
  const ReplicaAnswer answer =
      PlaceReplicas({pod, extras, filters, profile, config, ""}, asked, cluster,
                    cluster_extras);
  EXPECT_TRUE(cluster_extras.pods.empty());
  EXPECT_EQ(cluster.pod_count(), 0);
  return answer;
}

void AddNodes(ClusterState& cluster) {
  for (const char* name : {"n1", "n2", "n3"}) {
    Node node = MakeNode(name, {{"kubernetes.io/hostname", name}});
    node.allocatable["pods"] = Quantity::FromValue(10);
    cluster.Upsert(std::move(node));
  }
}

TEST(ReplicasTest, SaysHowManyFitAndWhatStopsTheNext) {
  ClusterState cluster;
  AddNodes(cluster);
  const PodInfo pod = MakePod(R"(
metadata: {labels: {app: web}}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - labelSelector: {matchLabels: {app: web}}
        topologyKey: kubernetes.io/hostname
)");
  const ReplicaAnswer answer = Place(cluster, pod, PodExtras(), 5);
  EXPECT_EQ(answer.placed, 3);
  ASSERT_TRUE(answer.next.has_value());
  EXPECT_EQ(answer.next->message,
            "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity "
            "rules.");
  ASSERT_EQ(answer.next->groups.size(), 1);
  EXPECT_EQ(answer.next->groups[0].wants,
            "must not share kubernetes.io/hostname with pods app=web in "
            "namespace default; 3 nodes, each already has one: at most 3 "
            "replicas");
}

TEST(ReplicasTest, AllMayFit) {
  ClusterState cluster;
  AddNodes(cluster);
  const ReplicaAnswer answer =
      Place(cluster, MakePod("metadata: {name: p}"), PodExtras(), 5);
  EXPECT_EQ(answer.placed, 5);
  EXPECT_FALSE(answer.next.has_value());
}

TEST(ReplicasTest, ReplicasTakeHostPortsFromEachOther) {
  ClusterState cluster;
  AddNodes(cluster);
  PodExtras extras;
  extras.host_ports = {{"0.0.0.0", "TCP", 80}};
  const ReplicaAnswer answer =
      Place(cluster, MakePod("metadata: {labels: {app: web}}"), extras, 4);
  EXPECT_EQ(answer.placed, 3);
  ASSERT_TRUE(answer.next.has_value());
  EXPECT_EQ(answer.next->message,
            "0/3 nodes are available: 3 node(s) didn't have free ports for the "
            "requested pod ports.");
}

}  // namespace
}  // namespace vicinal
