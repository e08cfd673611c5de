#include "core/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kRoom[] = R"(
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}})";

// Adds a node with room for pods; `more` are further YAML lines at its top.
void AddRoomyNode(ClusterState& cluster, const std::string& name,
                  const std::string& labels, const std::string& more = "") {
  AddObjects(cluster, "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
                          ", labels: {" + labels + "}}" + kRoom + "\n" + more);
}

Explanation ExplainPod(const ClusterState& cluster, std::string_view pod) {
  const PluginConfig config;
  const Profile profile = DefaultProfile(config);
  return Explain(cluster, profile, config, MakePod(pod));
}

const NodeExplanation& NodeOf(const Explanation& explanation,
                              std::string_view name) {
  for (const NodeExplanation& node : explanation.nodes) {
    if (node.name == name) return node;
  }
  ADD_FAILURE() << "no node " << name;
  return explanation.nodes.at(0);
}

// The causes of a node, one line each: `kind-independent` facts.
std::vector<std::string> CausesOf(const Explanation& explanation,
                                  std::string_view name) {
  std::vector<std::string> lines;
  for (const std::size_t index : NodeOf(explanation, name).causes) {
    const Cause& cause = explanation.causes.at(index);
    std::string line = std::string(cause.plugin) + " " + cause.rule + ": " +
                       cause.wants + "; " + cause.found;
    for (const PodReference& pod : cause.blocking_pods) {
      line += " <" + pod.key.namespace_name + "/" + pod.key.name + " on " +
              pod.node + (pod.nominated ? " nominated" : "") + ">";
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> HintsOf(const Explanation& explanation) {
  std::vector<std::string> lines;
  for (const Hint& hint : explanation.hints) lines.push_back(hint.text);
  return lines;
}

std::string Pod(std::string_view labels, std::string_view spec) {
  return "{metadata: {name: new, namespace: shop, labels: {" +
         std::string(labels) + "}}, spec: {" + std::string(spec) + "}}";
}

std::string Anti(std::string_view app, std::string_view key) {
  return "affinity: {podAntiAffinity: "
         "{requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: "
         "{matchLabels: {app: " +
         std::string(app) + "}}, topologyKey: " + std::string(key) + "}]}}";
}

std::string Near(std::string_view app, std::string_view key,
                 std::string_view more = "") {
  return "affinity: {podAffinity: "
         "{requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: "
         "{matchLabels: {app: " +
         std::string(app) + "}}, topologyKey: " + std::string(key) +
         std::string(more) + "}]}}";
}

void AddShopPod(ClusterState& cluster, const std::string& node,
                const std::string& name, const std::string& labels,
                const std::string& spec = "") {
  AddPod(cluster, node,
         "{metadata: {name: " + name + ", namespace: shop, labels: {" + labels +
             "}}, spec: {" + spec + "}}");
}

TEST(ExplainTest, NamesThePodsThatAntiAffinityAvoids) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  AddRoomyNode(cluster, "n2", "zone: a");
  AddRoomyNode(cluster, "n3", "zone: b");
  AddShopPod(cluster, "n2", "w2", "app: web");
  AddShopPod(cluster, "n1", "w1", "app: web");
  const Explanation explanation =
      ExplainPod(cluster, Pod("app: web", Anti("web", "zone")));
  const char kCause[] =
      "InterPodAffinity "
      "spec.affinity.podAntiAffinity."
      "requiredDuringSchedulingIgnoredDuringExecution[0]: must not share zone "
      "with pods app=web in namespace shop; 2 such pods are in zone=a "
      "<shop/w1 on n1> <shop/w2 on n2>";
  EXPECT_THAT(CausesOf(explanation, "n1"), ElementsAre(kCause));
  EXPECT_EQ(NodeOf(explanation, "n1").causes, NodeOf(explanation, "n2").causes);
  EXPECT_TRUE(NodeOf(explanation, "n3").status.ok());
  EXPECT_EQ(explanation.fitting, 1u);
  EXPECT_EQ(explanation.message, "");
  EXPECT_THAT(explanation.hints, IsEmpty());
}

TEST(ExplainTest, SaysWhichPodsAloneAreInTheWay) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "host: n1");
  AddRoomyNode(cluster, "n2", "host: n2");
  AddShopPod(cluster, "n1", "w1", "app: web");
  AddShopPod(cluster, "n2", "w2", "app: web");
  AddShopPod(cluster, "n2", "w3", "app: web");
  const Explanation explanation =
      ExplainPod(cluster, Pod("app: web", Anti("web", "host")));
  EXPECT_EQ(explanation.message,
            "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity "
            "rules.");
  EXPECT_THAT(HintsOf(explanation),
              ElementsAre("Only shop/w1 blocks n1.",
                          "Only shop/w2, shop/w3 block n2."));
}

TEST(ExplainTest, NamesThePodsThatDoNotWantThePodNear) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  AddShopPod(cluster, "n1", "a1", "app: a", Anti("b", "zone"));
  AddShopPod(cluster, "n1", "a2", "app: a");
  const Explanation explanation = ExplainPod(cluster, Pod("app: b", ""));
  EXPECT_THAT(
      CausesOf(explanation, "n1"),
      ElementsAre("InterPodAffinity : is not wanted near by pods there, by "
                  "their own podAntiAffinity with topologyKey zone; 1 such pod "
                  "is in zone=a <shop/a1 on n1>"));
}

TEST(ExplainTest, DoesNotTellTwiceThatPodsAvoidEachOther) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  AddShopPod(cluster, "n1", "w1", "app: web", Anti("web", "zone"));
  const std::string pod = Pod("app: web", Anti("web", "zone"));
  EXPECT_EQ(CausesOf(ExplainPod(cluster, pod), "n1").size(), 1u);
  AddShopPod(cluster, "n1", "x1", "app: x", Anti("web", "zone"));
  EXPECT_EQ(CausesOf(ExplainPod(cluster, pod), "n1").size(), 2u);
}

TEST(ExplainTest, SaysWhereThePodsAreThatAffinityWants) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  AddRoomyNode(cluster, "n2", "zone: b");
  AddShopPod(cluster, "n2", "d1", "app: d");
  const Explanation explanation =
      ExplainPod(cluster, Pod("app: c", Near("d", "zone")));
  EXPECT_THAT(CausesOf(explanation, "n1"),
              ElementsAre(HasSubstr("wants to share zone with pods app=d in "
                                    "namespace shop; no such pod in zone=a; "
                                    "only in b")));
}

TEST(ExplainTest, SaysThatNobodyIsThereToJoin) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  EXPECT_THAT(HintsOf(ExplainPod(cluster, Pod("app: c", Near("d", "zone")))),
              ElementsAre(HasSubstr("such a pod has to run first")));
  AddPod(cluster, "n1",
         "{metadata: {name: d1, namespace: other, labels: {app: d}}}");
  EXPECT_THAT(HintsOf(ExplainPod(cluster, Pod("app: c", Near("d", "zone")))),
              ElementsAre(HasSubstr("such pods run in other, which a term "
                                    "reaches with `namespaces`")));
  EXPECT_THAT(
      HintsOf(ExplainPod(
          cluster, Pod("app: c", Near("d", "zone",
                                      ", namespaceSelector: {matchLabels: "
                                      "{team: x}}")))),
      ElementsAre(HasSubstr("No namespace has the labels team=x")));
}

TEST(ExplainTest, SaysThatNoNodeHasTheKey) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "kubernetes.io/hostname: n1");
  AddShopPod(cluster, "n1", "c1", "app: cache");
  const Explanation explanation = ExplainPod(
      cluster, Pod("app: x", Near("cache", "topology.kubernetes.io/hostname")));
  EXPECT_THAT(
      CausesOf(explanation, "n1"),
      ElementsAre(HasSubstr("no label topology.kubernetes.io/hostname")));
  EXPECT_THAT(HintsOf(explanation),
              ElementsAre("No node has the label "
                          "topology.kubernetes.io/hostname, the topologyKey of "
                          "spec.affinity.podAffinity."
                          "requiredDuringSchedulingIgnoredDuringExecution[0]. "
                          "Did you mean kubernetes.io/hostname? Keys that "
                          "nodes have: kubernetes.io/hostname (1)."));
}

constexpr char kSpread[] =
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
    "web}}}]";

TEST(ExplainTest, TellsTheCountsOfASpreadConstraint) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  AddRoomyNode(cluster, "n2", "zone: b");
  AddRoomyNode(cluster, "n3", "zone: c");
  for (const char* name : {"w1", "w2", "w3"}) {
    AddShopPod(cluster, "n1", name, "app: web");
  }
  AddShopPod(cluster, "n2", "w4", "app: web");
  AddShopPod(cluster, "n2", "w5", "app: web");
  AddShopPod(cluster, "n3", "w6", "app: web");
  const Explanation explanation = ExplainPod(cluster, Pod("app: web", kSpread));
  EXPECT_THAT(
      CausesOf(explanation, "n1"),
      ElementsAre("PodTopologySpread spec.topologySpreadConstraints[0]: wants "
                  "at most 1 (maxSkew) between the numbers of pods app=web per "
                  "zone; 3 matching pods in zone=a, 4 with this one; skew 4 - "
                  "1 > maxSkew 1 <shop/w1 on n1> <shop/w2 on n1> <shop/w3 on "
                  "n1>"));
  EXPECT_THAT(CausesOf(explanation, "n2"),
              ElementsAre(HasSubstr("skew 3 - 1 > maxSkew 1")));
  EXPECT_TRUE(NodeOf(explanation, "n3").status.ok());
  const Cause& cause =
      explanation.causes.at(NodeOf(explanation, "n2").causes.at(0));
  EXPECT_EQ(cause.skew, (SkewNumbers{2, 1, 1, 1, 3, 1}));
  ASSERT_EQ(explanation.spreads.size(), 1u);
  const SpreadState& state = explanation.spreads[0];
  ASSERT_EQ(state.domains.size(), 3u);
  EXPECT_EQ(state.domains[0].pods, 3);
  EXPECT_FALSE(state.domains[0].open);
  EXPECT_TRUE(state.domains[2].open);
}

TEST(ExplainTest, SaysThatMinDomainsExceedsTheDomains) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  AddRoomyNode(cluster, "n2", "zone: b");
  AddShopPod(cluster, "n1", "w1", "app: web");
  AddShopPod(cluster, "n2", "w2", "app: web");
  const Explanation explanation = ExplainPod(
      cluster,
      Pod("app: web",
          "topologySpreadConstraints: [{maxSkew: 1, minDomains: 4, "
          "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
          "{matchLabels: {app: web}}}]"));
  EXPECT_THAT(CausesOf(explanation, "n1"),
              ElementsAre(HasSubstr("skew 2 - 0 > maxSkew 1 (minimum taken as "
                                    "0: minDomains 4, but 2 domains)")));
  EXPECT_THAT(HintsOf(explanation).at(0),
              HasSubstr("add 2 domains or lower minDomains"));
}

TEST(ExplainTest, TellsAllCausesOfANodeWithTheVerdictFirst) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "disk: hdd",
               "spec: {unschedulable: true, taints: [{key: t, effect: "
               "NoSchedule}, {key: soft, effect: PreferNoSchedule}]}");
  const Explanation explanation = ExplainPod(
      cluster,
      Pod("app: x",
          "nodeSelector: {disk: ssd}, containers: [{name: c, resources: "
          "{requests: {cpu: 5}}}]"));
  EXPECT_EQ(NodeOf(explanation, "n1").status.plugin(), "NodeUnschedulable");
  EXPECT_THAT(
      CausesOf(explanation, "n1"),
      ElementsAre(HasSubstr("NodeUnschedulable"),
                  "TaintToleration spec.tolerations: has no toleration of the "
                  "taint t:NoSchedule; taint t:NoSchedule",
                  "NodeAffinity spec.nodeSelector[disk]: wants nodes with "
                  "disk=ssd; disk=hdd",
                  "NodeResourcesFit spec.containers[*].resources.requests: "
                  "requests 5 cpu; has only 4 cpu, 0 in use, 4 free"));
}

TEST(ExplainTest, PutsAVerdictOfNodeNamesFirst) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "",
               "spec: {taints: [{key: t, effect: NoSchedule}]}");
  AddRoomyNode(cluster, "n2", "");
  const Explanation explanation = ExplainPod(
      cluster,
      Pod("app: x",
          "affinity: {nodeAffinity: "
          "{requiredDuringSchedulingIgnoredDuringExecution: "
          "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: "
          "In, values: [n2]}]}]}}}"));
  EXPECT_EQ(NodeOf(explanation, "n1").status.Message(),
            "node(s) didn't satisfy plugin(s) [NodeAffinity]");
  EXPECT_THAT(CausesOf(explanation, "n1"),
              ElementsAre(HasSubstr("nodeSelectorTerms[0].matchFields[0]: "
                                    "wants nodes with metadata.name In [n2]"),
                          HasSubstr("TaintToleration")));
}

TEST(ExplainTest, SaysWhatASingleChangeOfANodeWouldOpen) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "",
               "spec: {taints: [{key: t, effect: NoSchedule}]}");
  AddRoomyNode(cluster, "n2", "", "spec: {unschedulable: true}");
  AddRoomyNode(cluster, "n3", "");
  AddShopPod(cluster, "n3", "big", "app: big",
             "containers: [{name: c, resources: {requests: {cpu: 3500m}}}]");
  const Explanation explanation = ExplainPod(
      cluster, Pod("app: x",
                   "containers: [{name: c, resources: {requests: {cpu: 1}}}]"));
  EXPECT_THAT(
      HintsOf(explanation),
      ::testing::UnorderedElementsAre(
          "Only the taint t:NoSchedule closes n1: a toleration would open it.",
          "Only the cordon closes n2: kubectl uncordon would open it.",
          "Only 500m cpu more would open n3."));
}

TEST(ExplainTest, ANodeThatIsTooSmallIsNotSaidToLackALittle) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "");
  const char* const five =
      "containers: [{name: c, resources: {requests: {cpu: 5}}}]";
  EXPECT_THAT(HintsOf(ExplainPod(cluster, Pod("app: x", five))),
              ElementsAre("No node is large enough for 5 cpu: the largest, n1, "
                          "has 4."));
}

TEST(ExplainTest, CountsNominatedPodsAsTheSchedulerDoes) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  AddObjects(cluster, R"(
apiVersion: v1
kind: Pod
metadata: {name: soon, namespace: shop, labels: {app: web}}
spec: {priority: 10}
status: {nominatedNodeName: n1})");
  const Explanation explanation =
      ExplainPod(cluster, Pod("app: web", Anti("web", "zone")));
  EXPECT_THAT(CausesOf(explanation, "n1"),
              ElementsAre(HasSubstr("<shop/soon on n1 nominated>")));
}

TEST(ExplainTest, GroupsNodesByRule) {
  ClusterState cluster;
  AddRoomyNode(cluster, "cp", "host: cp",
               "spec: {taints: [{key: cp, effect: NoSchedule}]}");
  AddRoomyNode(cluster, "n1", "host: n1");
  AddRoomyNode(cluster, "n2", "host: n2");
  AddShopPod(cluster, "n1", "w1", "app: web");
  AddShopPod(cluster, "n2", "w2", "app: web");
  AddShopPod(cluster, "cp", "w3", "app: web");
  const Explanation explanation =
      ExplainPod(cluster, Pod("app: web", Anti("web", "host")));
  ASSERT_EQ(explanation.groups.size(), 2u);
  EXPECT_EQ(explanation.groups[0].plugin, "InterPodAffinity");
  EXPECT_EQ(explanation.groups[0].nodes, 3u);
  EXPECT_EQ(explanation.groups[0].first_for, 2u);
  EXPECT_EQ(explanation.groups[0].causes.size(), 3u);
  EXPECT_EQ(explanation.groups[1].plugin, "TaintToleration");
  EXPECT_EQ(explanation.groups[1].nodes, 1u);
}

TEST(ExplainTest, SaysWhatIsWrongWithThePodItself) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "zone: a");
  const Explanation explanation = ExplainPod(
      cluster,
      Pod("app: x",
          "affinity: {podAffinity: "
          "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
          "zone, labelSelector: {matchExpressions: [{key: a, operator: "
          "Sometimes}]}}]}}"));
  ASSERT_EQ(CausesOf(explanation, "n1").size(), 1u);
  EXPECT_EQ(explanation.causes.at(0).kind, Cause::Kind::kQuestion);
  EXPECT_THAT(explanation.causes.at(0).wants, HasSubstr("Sometimes"));
}

TEST(ExplainTest, TellsTheScoresOfTheNodesThatFit) {
  ClusterState cluster;
  AddRoomyNode(cluster, "n1", "");
  AddRoomyNode(cluster, "n2", "",
               "spec: {taints: [{key: t, effect: PreferNoSchedule}]}");
  const Explanation explanation = ExplainPod(cluster, Pod("app: x", ""));
  ASSERT_FALSE(explanation.score_plugins.empty());
  EXPECT_EQ(explanation.score_plugins[0].plugin, "TaintToleration");
  EXPECT_EQ(explanation.score_plugins[0].weight, 3);
  const NodeExplanation& tainted = NodeOf(explanation, "n2");
  EXPECT_EQ(tainted.scores.at(0).raw, 1);
  EXPECT_EQ(tainted.scores.at(0).normalized, 0);
  EXPECT_GT(NodeOf(explanation, "n1").total, tainted.total);
}

}  // namespace
}  // namespace vicinal
