#include "core/index/cluster_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Names(const std::vector<const StoredPod*>& pods) {
  std::vector<std::string> names;
  for (const StoredPod* pod : pods) names.emplace_back(pod->name());
  return names;
}

std::vector<std::string> Names(const std::vector<const PodInfo*>& pods) {
  std::vector<std::string> names;
  for (const PodInfo* pod : pods) names.push_back(pod->pod.meta.name);
  return names;
}

std::vector<std::string> NodeNames(const ClusterState& cluster) {
  std::vector<std::string> names;
  for (const NodeInfo* node : cluster.Nodes()) names.push_back(node->Name());
  return names;
}

std::vector<std::string> PodsOn(const ClusterState& cluster,
                                std::string_view node) {
  const NodeInfo* info = cluster.FindNode(node);
  EXPECT_THAT(info, NotNull()) << node;
  return info == nullptr ? std::vector<std::string>() : Names(info->pods);
}

std::vector<std::string> NominatedFor(const ClusterState& cluster,
                                      std::string_view node) {
  const NodeInfo* info = cluster.FindNode(node);
  EXPECT_THAT(info, NotNull()) << node;
  return info == nullptr ? std::vector<std::string>()
                         : Names(info->nominated_pods);
}

// A pod named `name` in the namespace "default".
Pod PodOn(std::string_view name, std::string_view node,
          std::string_view nominated = "", std::string_view phase = "") {
  Pod pod;
  pod.meta.name = name;
  pod.meta.namespace_name = "default";
  pod.spec.node_name = node;
  pod.status.nominated_node_name = nominated;
  pod.status.phase = phase;
  return pod;
}

const ObjectKey kPod = {"default", "p"};

TEST(ClusterStateTest, NodesComeByName) {
  ClusterState cluster;
  AddNode(cluster, "b");
  AddNode(cluster, "c");
  AddNode(cluster, "a");
  EXPECT_THAT(NodeNames(cluster), ElementsAre("a", "b", "c"));
}

TEST(ClusterStateTest, HasTheIdsInTheOrderOfTheNodes) {
  ClusterState cluster;
  for (const char* name : {"b", "d", "c", "a"}) AddNode(cluster, name);
  cluster.Remove<Node>({"", "c"});
  AddNode(cluster, "e");
  std::vector<NodeId> ids;
  for (const NodeInfo* node : cluster.Nodes()) ids.push_back(node->id);
  EXPECT_EQ(cluster.NodeIds(), ids);
}

TEST(ClusterStateTest, FindsManyNodesInOrder) {
  ClusterState cluster;
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back(absl::StrCat("node-", 7 * i));
  for (const std::string& name : names) AddNode(cluster, name);
  cluster.Upsert(PodOn("p", "only-heard-of"));
  cluster.Remove<Node>({"", "node-14"});
  std::vector<std::string_view> wanted(names.begin(), names.end());
  wanted.insert(wanted.begin() + 3, "only-heard-of");
  wanted.emplace_back("unknown");
  const std::vector<NodeId> found = cluster.FindNodeIds(wanted);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const NodeInfo* const node = cluster.FindNode(wanted[i]);
    EXPECT_EQ(found[i], node == nullptr ? kNoNode : node->id) << wanted[i];
  }
  EXPECT_EQ(found[2], kNoNode);
  EXPECT_EQ(found[3], kNoNode);
  EXPECT_NE(found[4], kNoNode);
}

TEST(ClusterStateTest, PodsStandOnTheirNode) {
  ClusterState cluster;
  AddNode(cluster, "a");
  AddNode(cluster, "b");
  cluster.Upsert(PodOn("p", "a"));
  cluster.Upsert(PodOn("q", "a"));
  EXPECT_THAT(PodsOn(cluster, "a"), UnorderedElementsAre("p", "q"));
  EXPECT_THAT(PodsOn(cluster, "b"), IsEmpty());
}

TEST(ClusterStateTest, APodOnANodeThatIsNotThereCountsOnceTheNodeComes) {
  ClusterState cluster;
  cluster.Upsert(PodOn("p", "a"));
  EXPECT_THAT(NodeNames(cluster), IsEmpty());
  EXPECT_THAT(cluster.FindNode("a"), IsNull());
  EXPECT_THAT(cluster.Keys<Node>(), IsEmpty());
  EXPECT_THAT(cluster.FindPod(kPod), NotNull());
  AddNode(cluster, "a", {{"zone", "z"}});
  EXPECT_THAT(NodeNames(cluster), ElementsAre("a"));
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("p"));
}

TEST(ClusterStateTest, APodWithoutNodeIsKnownButStandsNowhere) {
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(PodOn("p", ""));
  EXPECT_THAT(cluster.FindPod(kPod), NotNull());
  EXPECT_THAT(PodsOn(cluster, "a"), IsEmpty());
}

TEST(ClusterStateTest, APodMovesWhenItsNodeChanges) {
  ClusterState cluster;
  AddNode(cluster, "a");
  AddNode(cluster, "b");
  cluster.Upsert(PodOn("p", "a"));
  cluster.Upsert(PodOn("p", "b"));
  EXPECT_THAT(PodsOn(cluster, "a"), IsEmpty());
  EXPECT_THAT(PodsOn(cluster, "b"), ElementsAre("p"));
}

TEST(ClusterStateTest, APodThatIsSeenAgainIsReplaced) {
  ClusterState cluster;
  AddNode(cluster, "a");
  AddPod(cluster, "a", "{metadata: {name: p, labels: {app: web}}}");
  AddPod(cluster, "a", "{metadata: {name: p, labels: {app: db}}}");
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("p"));
  EXPECT_EQ(*cluster.FindNode("a")->pods[0]->FindLabel("app"), "db");
  EXPECT_EQ(cluster.FindPod(kPod), cluster.FindNode("a")->pods[0]);
}

TEST(ClusterStateTest, PodsOfOneNameInDifferentNamespacesAreDifferent) {
  ClusterState cluster;
  AddNode(cluster, "a");
  AddPod(cluster, "a", "{metadata: {name: p, namespace: x}}");
  AddPod(cluster, "a", "{metadata: {name: p, namespace: w}}");
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("p", "p"));
  cluster.Remove<Pod>({"x", "p"});
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("p"));
  EXPECT_THAT(cluster.FindPod({"w", "p"}), NotNull());
}

TEST(ClusterStateTest, ARemovedPodIsGone) {
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(PodOn("p", "a"));
  cluster.Upsert(PodOn("q", "a"));
  cluster.Remove<Pod>(kPod);
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("q"));
  EXPECT_THAT(cluster.FindPod(kPod), IsNull());
  cluster.Remove<Pod>(kPod);  // Once more does nothing.
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("q"));
}

TEST(ClusterStateTest, FinishedPodsAreNotKept) {
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(PodOn("p", "a", "", "Running"));
  cluster.Upsert(PodOn("q", "a", "", "Running"));
  cluster.Upsert(PodOn("p", "a", "", "Succeeded"));
  cluster.Upsert(PodOn("q", "a", "", "Failed"));
  cluster.Upsert(PodOn("r", "a", "", "Succeeded"));
  EXPECT_THAT(PodsOn(cluster, "a"), IsEmpty());
  EXPECT_THAT(cluster.Keys<Pod>(), IsEmpty());
}

TEST(ClusterStateTest, TerminatingPodsAreKept) {
  ClusterState cluster;
  AddNode(cluster, "a");
  AddPod(cluster, "a",
         "{metadata: {name: p, deletionTimestamp: 2026-01-01T00:00:00Z}}");
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("p"));
}

TEST(ClusterStateTest, AnUnboundPodStandsAmongTheNominatedOfItsNode) {
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(PodOn("p", "", "a"));
  EXPECT_THAT(PodsOn(cluster, "a"), IsEmpty());
  EXPECT_THAT(NominatedFor(cluster, "a"), ElementsAre("p"));
}

TEST(ClusterStateTest, ABoundPodIsNominatedNoMore) {
  ClusterState cluster;
  AddNode(cluster, "a");
  AddNode(cluster, "b");
  cluster.Upsert(PodOn("p", "", "a"));
  cluster.Upsert(PodOn("p", "b", "a"));
  EXPECT_THAT(NominatedFor(cluster, "a"), IsEmpty());
  EXPECT_THAT(NominatedFor(cluster, "b"), IsEmpty());
  EXPECT_THAT(PodsOn(cluster, "b"), ElementsAre("p"));
  EXPECT_THAT(PodsOn(cluster, "a"), IsEmpty());
  cluster.Remove<Pod>(kPod);
  EXPECT_THAT(PodsOn(cluster, "b"), IsEmpty());
}

TEST(ClusterStateTest, ANominationMovesAndEnds) {
  ClusterState cluster;
  AddNode(cluster, "a");
  AddNode(cluster, "b");
  cluster.Upsert(PodOn("p", "", "a"));
  cluster.Upsert(PodOn("p", "", "b"));
  EXPECT_THAT(NominatedFor(cluster, "a"), IsEmpty());
  EXPECT_THAT(NominatedFor(cluster, "b"), ElementsAre("p"));
  cluster.Upsert(PodOn("p", "", ""));
  EXPECT_THAT(NominatedFor(cluster, "b"), IsEmpty());
  cluster.Upsert(PodOn("p", "", "a"));
  cluster.Remove<Pod>(kPod);
  EXPECT_THAT(NominatedFor(cluster, "a"), IsEmpty());
}

TEST(ClusterStateTest, ANominationMayComeBeforeItsNode) {
  ClusterState cluster;
  cluster.Upsert(PodOn("p", "", "a"));
  EXPECT_THAT(NodeNames(cluster), IsEmpty());
  AddNode(cluster, "a");
  EXPECT_THAT(NominatedFor(cluster, "a"), ElementsAre("p"));
}

TEST(ClusterStateTest, ARelabelledNodeKeepsItsPods) {
  ClusterState cluster;
  AddNode(cluster, "a", {{"zone", "old"}});
  cluster.Upsert(PodOn("p", "a"));
  cluster.Upsert(PodOn("q", "", "a"));
  AddNode(cluster, "a", {{"zone", "new"}});
  EXPECT_EQ(cluster.FindNode("a")->labels(), (Labels{{"zone", "new"}}));
  EXPECT_THAT(PodsOn(cluster, "a"), ElementsAre("p"));
  EXPECT_THAT(NominatedFor(cluster, "a"), ElementsAre("q"));
}

TEST(ClusterStateTest, ANodeThatGoesAndComesFindsItsPodsAgain) {
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(PodOn("p", "a"));
  cluster.Remove<Node>({"", "a"});
  EXPECT_THAT(NodeNames(cluster), IsEmpty());
  EXPECT_THAT(cluster.FindNode("a"), IsNull());
  EXPECT_THAT(cluster.FindPod(kPod), NotNull());
  cluster.Upsert(PodOn("q", "a"));
  AddNode(cluster, "a");
  EXPECT_THAT(PodsOn(cluster, "a"), UnorderedElementsAre("p", "q"));
}

TEST(ClusterStateTest, PodsMayGoAfterTheirNode) {
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(PodOn("p", "a"));
  cluster.Remove<Node>({"", "a"});
  cluster.Remove<Pod>(kPod);
  AddNode(cluster, "a");
  EXPECT_THAT(PodsOn(cluster, "a"), IsEmpty());
  cluster.Remove<Node>({"", "a"});
  cluster.Remove<Node>({"", "a"});  // Once more does nothing.
  cluster.Remove<Node>({"", "never"});
  EXPECT_THAT(NodeNames(cluster), IsEmpty());
}

TEST(ClusterStateTest, NamespaceLabelsFollowTheNamespace) {
  ClusterState cluster;
  EXPECT_THAT(cluster.NamespaceLabels("shop"), IsEmpty());
  AddObjects(cluster,
             "apiVersion: v1\nkind: Namespace\n"
             "metadata: {name: shop, labels: {team: t}}");
  EXPECT_EQ(cluster.NamespaceLabels("shop"), (Labels{{"team", "t"}}));
  EXPECT_THAT(cluster.NamespaceLabels("other"), IsEmpty());
  AddObjects(cluster,
             "apiVersion: v1\nkind: Namespace\n"
             "metadata: {name: shop, labels: {team: u}}");
  EXPECT_EQ(cluster.NamespaceLabels("shop"), (Labels{{"team", "u"}}));
  cluster.Remove<Namespace>({"", "shop"});
  EXPECT_THAT(cluster.NamespaceLabels("shop"), IsEmpty());
}

TEST(ClusterStateTest, ObjectsOfEveryOtherKindAreKeptAndReplaced) {
  ClusterState cluster;
  constexpr char kObjects[] = R"(---
{apiVersion: v1, kind: Service, metadata: {name: o, namespace: x},
 spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: ReplicationController,
 metadata: {name: o, namespace: x}, spec: {selector: {app: web}}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: o, namespace: x},
 spec: {selector: {matchLabels: {app: web}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: o, namespace: x},
 spec: {selector: {matchLabels: {app: web}}}}
)";
  AddObjects(cluster, kObjects);
  AddObjects(cluster, kObjects);
  const ObjectKey key = {"x", "o"};
  EXPECT_THAT(cluster.Keys<Service>(), ElementsAre(key));
  EXPECT_THAT(cluster.Keys<ReplicationController>(), ElementsAre(key));
  EXPECT_THAT(cluster.Keys<ReplicaSet>(), ElementsAre(key));
  EXPECT_THAT(cluster.Keys<StatefulSet>(), ElementsAre(key));
  EXPECT_EQ(cluster.All<Service>().at(key).selector, (Labels{{"app", "web"}}));
  cluster.Remove<Service>(key);
  cluster.Remove<ReplicationController>(key);
  cluster.Remove<ReplicaSet>(key);
  cluster.Remove<StatefulSet>(key);
  EXPECT_THAT(cluster.All<Service>(), IsEmpty());
  EXPECT_THAT(cluster.All<ReplicationController>(), IsEmpty());
  EXPECT_THAT(cluster.All<ReplicaSet>(), IsEmpty());
  EXPECT_THAT(cluster.All<StatefulSet>(), IsEmpty());
}

TEST(ClusterStateTest, GivesBackEveryFieldOfAPodAsItCame) {
  Pod pod = ParsePod(R"({
    metadata: {name: p, namespace: ns, uid: u-1, labels: {app: web, b: ""},
      ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r,
                         controller: true}],
      deletionTimestamp: 2026-01-01T00:00:00Z},
    spec: {nodeName: a, schedulerName: s, priority: 7, nodeSelector: {d: ssd},
      tolerations: [{key: t, operator: Exists}],
      affinity: {podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {topologyKey: zone, labelSelector: {matchLabels: {app: web}}}]}},
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone,
        whenUnsatisfiable: DoNotSchedule,
        labelSelector: {matchLabels: {app: web}}}],
      containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]},
    status: {phase: Running, nominatedNodeName: b,
      startTime: '2026-01-01T00:00:00Z'}})");
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(pod);
  EXPECT_EQ(cluster.FindPod({"ns", "p"})->ToPod(), pod);

  // A second one of the same controller, and the first one changed.
  Pod second = pod;
  second.meta.name = "q";
  second.meta.uid = "u-2";
  cluster.Upsert(second);
  pod.spec.priority = 8;
  pod.meta.labels = Labels{{"app", "db"}};
  pod.meta.deletion_timestamp.reset();
  cluster.Upsert(pod);
  EXPECT_EQ(cluster.FindPod({"ns", "p"})->ToPod(), pod);
  EXPECT_EQ(cluster.FindPod({"ns", "q"})->ToPod(), second);
}

TEST(ClusterStateTest, PodsShareWhatTheyHaveInCommonWheneverTheyStarted) {
  ClusterState cluster;
  for (const char* name : {"p", "q"}) {
    Pod pod = ParsePod("{metadata: {namespace: ns}, spec: {priority: 7}}");
    pod.meta.name = name;
    pod.meta.namespace_name = "ns";
    if (pod.meta.name == "q") pod.status.start_time = 1767225610;
    cluster.Upsert(pod);
  }
  const StoredPod* p = cluster.FindPod({"ns", "p"});
  const StoredPod* q = cluster.FindPod({"ns", "q"});
  EXPECT_EQ(&p->common(), &q->common());
  EXPECT_EQ(p->start_time(), std::nullopt);
  EXPECT_EQ(q->start_time(), 1767225610);
}

TEST(ClusterStateTest, NodesKnowWhatTheirPodsRequest) {
  const auto requesting = [](const char* name, const char* requests) {
    return ParsePod(absl::StrCat("{metadata: {name: ", name,
                                 "}, spec: {nodeName: a, containers: [{name: "
                                 "c, resources: {requests: ",
                                 requests, "}}]}}"));
  };
  ClusterState cluster;
  cluster.Upsert(requesting("p", "{cpu: 100m, example.com/gpu: 1}"));
  AddNode(cluster, "a");
  cluster.Upsert(requesting("q", "{cpu: 1, memory: 1Ki}"));
  const PodResource& sum = cluster.FindNode("a")->requested;
  EXPECT_EQ(sum.resource.milli_cpu, 1100);
  EXPECT_EQ(sum.resource.memory, 1024);
  EXPECT_EQ(sum.resource.Scalar("example.com/gpu"), 1);
  cluster.Upsert(requesting("p", "{cpu: 200m}"));
  EXPECT_EQ(sum.resource.milli_cpu, 1200);
  EXPECT_EQ(sum.resource.Scalar("example.com/gpu"), 0);
  cluster.Remove<Pod>({"default", "p"});
  cluster.Remove<Pod>({"default", "q"});
  EXPECT_EQ(sum.resource.milli_cpu, 0);
  EXPECT_EQ(sum.non_zero_memory, 0);
}

TEST(ClusterStateTest, ServicesAreFoundByThePodsTheySelect) {
  ClusterState cluster;
  AddObjects(cluster, R"(---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: x},
 spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: Service, metadata: {name: all, namespace: x},
 spec: {selector: {}}}
---
{apiVersion: v1, kind: Service, metadata: {name: none, namespace: x}, spec: {}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: w},
 spec: {selector: {app: web}}}
)");
  const auto of = [&cluster](const char* app) {
    Pod pod;
    pod.meta.namespace_name = "x";
    pod.meta.labels = Labels{{"app", app}};
    std::vector<std::string> names;
    cluster.ForEachServiceOf(pod, [&](const Service& service) {
      names.push_back(service.meta.name);
    });
    return names;
  };
  EXPECT_THAT(of("web"), UnorderedElementsAre("web", "all"));
  EXPECT_THAT(of("db"), ElementsAre("all"));
  AddObjects(
      cluster,
      "---\n{apiVersion: v1, kind: Service, metadata: {name: web, namespace: "
      "x}, spec: {selector: {app: db}}}");
  cluster.Remove<Service>({"x", "all"});
  EXPECT_THAT(of("web"), IsEmpty());
  EXPECT_THAT(of("db"), ElementsAre("web"));
}

TEST(ClusterStateTest, KeysNameEveryObjectOfAKind) {
  ClusterState cluster;
  AddNode(cluster, "a");
  cluster.Upsert(PodOn("p", "a"));
  cluster.Upsert(PodOn("q", "not-there"));
  cluster.Upsert(PodOn("r", ""));
  EXPECT_THAT(cluster.Keys<Node>(), ElementsAre(ObjectKey{"", "a"}));
  EXPECT_THAT(
      cluster.Keys<Pod>(),
      UnorderedElementsAre(ObjectKey{"default", "p"}, ObjectKey{"default", "q"},
                           ObjectKey{"default", "r"}));
}

}  // namespace
}  // namespace vicinal
