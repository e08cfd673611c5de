#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"
#include "core/testing/objects.h"
#include "core/testing/run_plugin.h"

// A node's raw score is Σ count × ln(domains + 2) + (maxSkew − 1), rounded:
// ln 3 = 1.0986, ln 4 = 1.3863, ln 5 = 1.6094, ln 6 = 1.7918.

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kHost[] = "kubernetes.io/hostname";
constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kSelectWeb[] = "labelSelector: {matchLabels: {app: web}}";

// A constraint that prefers.
std::string Soft(std::string_view key, int max_skew = 1,
                 std::string_view fields = kSelectWeb) {
  std::string yaml = "{topologyKey: ";
  yaml.append(key).append(", maxSkew: ").append(std::to_string(max_skew));
  yaml.append(", whenUnsatisfiable: ScheduleAnyway");
  if (!fields.empty()) yaml.append(", ").append(fields);
  return yaml + "}";
}

// A pod with these constraints; `spec` has further fields.
std::string Spread(std::string_view constraints, std::string_view spec = "") {
  std::string yaml = "{metadata: {labels: {app: web, hash: v2}}, spec: {";
  if (!spec.empty()) yaml.append(spec).append(", ");
  return yaml.append("topologySpreadConstraints: [")
      .append(constraints)
      .append("]}}");
}

constexpr char kPlainWeb[] = "{metadata: {labels: {app: web}}}";

// Nodes a1 and a2 in zone a, b1 in zone b, x1 without a zone.
class PodTopologySpreadScoreTest : public ::testing::Test {
 protected:
  PodTopologySpreadScoreTest() {
    AddNode(cluster_, "a1", {{kZone, "a"}, {kHost, "a1"}});
    AddNode(cluster_, "a2", {{kZone, "a"}, {kHost, "a2"}});
    AddNode(cluster_, "b1", {{kZone, "b"}, {kHost, "b1"}});
    AddNode(cluster_, "x1", {{kHost, "x1"}});
  }

  // Adds `count` pods of app web.
  void AddWeb(const std::string& node, int count,
              const std::string& metadata = "") {
    for (int i = 0; i < count; ++i) {
      AddPod(cluster_, node,
             "{metadata: {name: web-" + std::to_string(++pods_) +
                 ", labels: {app: web}" + metadata + "}}");
    }
  }

  // Makes the pods of app web those of a service.
  void AddService() {
    AddObjects(cluster_,
               "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
               "spec: {selector: {app: web}}");
  }

  Scores Score(std::string_view pod) const {
    return RunScore(plugin_, cluster_, MakePod(pod));
  }
  Scores Score(std::string_view pod,
               const std::vector<std::string>& nodes) const {
    return RunScore(plugin_, cluster_, MakePod(pod), nodes);
  }

  const PodTopologySpread plugin_{PodTopologySpreadArgs()};
  ClusterState cluster_;
  int pods_ = 0;
};

TEST_F(PodTopologySpreadScoreTest, DomainsWithFewerPodsScoreHigher) {
  AddWeb("a1", 2);
  AddWeb("a2", 1);
  AddWeb("b1", 1);
  const Scores scores = Score(Spread(Soft(kZone)));
  EXPECT_EQ(scores.status, "ok");
  // 3 ln 4 = 4.16 and ln 4 = 1.39.
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 4), Pair("a2", 4),
                                      Pair("b1", 1), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a1", 25), Pair("a2", 25),
                                             Pair("b1", 100), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, MaxSkewWatersTheDifferencesDown) {
  AddWeb("a1", 2);
  AddWeb("a2", 1);
  AddWeb("b1", 1);
  const Scores scores = Score(Spread(Soft(kZone, 3)));
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 6), Pair("a2", 6),
                                      Pair("b1", 3), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a1", 50), Pair("a2", 50),
                                             Pair("b1", 100), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, ByHostnameEachNodeCountsItsOwnPods) {
  AddWeb("a1", 2);
  AddWeb("a2", 1);
  AddWeb("b1", 1);
  const Scores scores = Score(Spread(Soft(kHost)));
  // 2 ln 6 = 3.58 and ln 6 = 1.79.
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 4), Pair("a2", 2),
                                      Pair("b1", 2), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a1", 0), Pair("a2", 50),
                                             Pair("b1", 50), Pair("x1", 100)));
}

TEST_F(PodTopologySpreadScoreTest, ConstraintsAddUp) {
  AddWeb("a1", 2);
  AddWeb("b1", 1);
  // Zone: ln 4; hostname over the three nodes that are not ignored: ln 5.
  // a1: 2 ln 4 + 2 ln 5 = 5.99; a2: 2 ln 4 = 2.77; b1: ln 4 + ln 5 = 3.00.
  EXPECT_THAT(
      Score(Spread(Soft(kZone) + ", " + Soft(kHost))).raw,
      ElementsAre(Pair("a1", 6), Pair("a2", 3), Pair("b1", 3), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, NodesWithoutAllKeysAreIgnored) {
  // They score nothing, and their pods count nowhere.
  AddNode(cluster_, "b2", {{kZone, "b"}});
  AddWeb("b2", 5);
  AddWeb("a1", 1);
  const Scores scores = Score(Spread(Soft(kZone) + ", " + Soft(kHost)));
  // a1: ln 4 + ln 5 = 3.00; a2: ln 4.
  EXPECT_THAT(scores.raw,
              ElementsAre(Pair("a1", 3), Pair("a2", 1), Pair("b1", 0),
                          Pair("b2", 0), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized,
              ElementsAre(Pair("a1", 0), Pair("a2", 66), Pair("b1", 100),
                          Pair("b2", 0), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, IgnoredNodesDoNotSetTheSmallestScore) {
  AddWeb("a1", 1);
  AddWeb("b1", 1);
  // With x1's 0 as the smallest, a1 and b1 would get 0.
  EXPECT_THAT(Score(Spread(Soft(kZone))).normalized,
              ElementsAre(Pair("a1", 100), Pair("a2", 100), Pair("b1", 100),
                          Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, IfAllScoresAreZeroAllGet100ButTheIgnored) {
  const Scores scores = Score(Spread(Soft(kZone)));
  EXPECT_EQ(scores.status, "ok");
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 0), Pair("a2", 0),
                                      Pair("b1", 0), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a1", 100), Pair("a2", 100),
                                             Pair("b1", 100), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, IfAllNodesAreIgnoredAllGetZero) {
  EXPECT_THAT(Score(Spread(Soft(kZone)), {"x1"}).normalized,
              ElementsAre(Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, OnlyDomainsOfTheNodesGivenWeigh) {
  AddWeb("a1", 4);
  // One domain: 4 ln 3 = 4.39 instead of 4 ln 4 = 5.55.
  EXPECT_THAT(Score(Spread(Soft(kZone)), {"a1"}).raw,
              ElementsAre(Pair("a1", 4)));
  EXPECT_THAT(Score(Spread(Soft(kZone)), {"a1", "b1"}).raw,
              ElementsAre(Pair("a1", 6), Pair("b1", 0)));
  // One host: 4 ln 3 instead of 4 ln 6 = 7.17.
  EXPECT_THAT(Score(Spread(Soft(kHost)), {"a1"}).raw,
              ElementsAre(Pair("a1", 4)));
}

TEST_F(PodTopologySpreadScoreTest, PodsOutsideTheNodesGivenCountInTheirDomain) {
  AddWeb("a1", 3);
  EXPECT_THAT(Score(Spread(Soft(kZone)), {"a2", "b1"}).raw,
              ElementsAre(Pair("a2", 4), Pair("b1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, TerminatingPodsDoNotCount) {
  AddWeb("a1", 3, ", deletionTimestamp: 2026-01-01T00:00:00Z");
  EXPECT_THAT(
      Score(Spread(Soft(kZone) + ", " + Soft(kHost))).raw,
      ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 0), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, PodsOfOtherNamespacesDoNotCount) {
  AddWeb("a1", 3, ", namespace: other");
  EXPECT_THAT(
      Score(Spread(Soft(kZone) + ", " + Soft(kHost))).raw,
      ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 0), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, EmptyAndAbsentSelectorsCountNobody) {
  AddWeb("a1", 3);
  for (const char* selector : {"labelSelector: {}", ""}) {
    const Scores scores = Score(
        Spread(Soft(kZone, 1, selector) + ", " + Soft(kHost, 1, selector)));
    EXPECT_EQ(scores.status, "ok");
    EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 0), Pair("a2", 0),
                                        Pair("b1", 0), Pair("x1", 0)));
  }
}

TEST_F(PodTopologySpreadScoreTest, MatchLabelKeysNarrowTheSelector) {
  AddWeb("a1", 3);
  AddPod(cluster_, "b1", "{metadata: {name: r, labels: {app: web, hash: v2}}}");
  EXPECT_THAT(
      Score(Spread(Soft(
                kZone, 1,
                std::string(kSelectWeb) + ", matchLabelKeys: [hash, absent]")))
          .raw,
      ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 1), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest,
       InclusionPoliciesHoldForZonesAndNotForHosts) {
  AddNode(cluster_, "a2", {{kZone, "a"}, {kHost, "a2"}, {"disk", "ssd"}});
  AddWeb("a1", 3);
  AddWeb("a2", 1);
  constexpr char kSelector[] = "nodeSelector: {disk: ssd}";
  EXPECT_THAT(
      Score(Spread(Soft(kZone), kSelector)).raw,
      ElementsAre(Pair("a1", 1), Pair("a2", 1), Pair("b1", 0), Pair("x1", 0)));
  EXPECT_THAT(
      Score(
          Spread(Soft(kZone, 1,
                      std::string(kSelectWeb) + ", nodeAffinityPolicy: Ignore"),
                 kSelector))
          .raw,
      ElementsAre(Pair("a1", 6), Pair("a2", 6), Pair("b1", 0), Pair("x1", 0)));
  // 3 ln 6 = 5.38.
  EXPECT_THAT(
      Score(Spread(Soft(kHost), kSelector)).raw,
      ElementsAre(Pair("a1", 5), Pair("a2", 2), Pair("b1", 0), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest,
       TaintedNodesCountUnlessNodeTaintsPolicyIsHonor) {
  Node tainted = MakeNode("a1", {{kZone, "a"}, {kHost, "a1"}});
  tainted.taints = {{"k", "v", kNoSchedule}};
  cluster_.Upsert(tainted);
  AddWeb("a1", 1);
  EXPECT_EQ(Score(Spread(Soft(kZone))).raw.at("a2"), 1);
  const std::string honor =
      Soft(kZone, 1, std::string(kSelectWeb) + ", nodeTaintsPolicy: Honor");
  EXPECT_EQ(Score(Spread(honor)).raw.at("a2"), 0);
  EXPECT_EQ(
      Score(Spread(honor, "tolerations: [{operator: Exists}]")).raw.at("a2"),
      1);
}

TEST_F(PodTopologySpreadScoreTest, WithoutSoftConstraintsItIsSkipped) {
  AddService();
  EXPECT_EQ(Score(Spread("{topologyKey: zone, maxSkew: 1, "
                         "whenUnsatisfiable: DoNotSchedule}"))
                .status,
            "skip");
}

TEST_F(PodTopologySpreadScoreTest, ASelectorThatDoesNotParseIsAnError) {
  EXPECT_EQ(Score(Spread(Soft(kZone, 1,
                              "labelSelector: {matchExpressions: "
                              "[{key: app, operator: Gt}]}")))
                .status,
            "Error: calculating preScoreState: obtaining pod's soft topology "
            "spread constraints: \"Gt\" is not a valid label selector "
            "operator");
}

TEST_F(PodTopologySpreadScoreTest, SystemDefaultsSpreadPodsOfAService) {
  AddWeb("a1", 1);
  EXPECT_EQ(Score(kPlainWeb).status, "skip");
  AddService();
  const Scores scores = Score(kPlainWeb);
  EXPECT_EQ(scores.status, "ok");
  // Hosts: ln 6 and maxSkew 3; zones a, b and "": ln 5 and maxSkew 5.
  // a1: ln 6 + 2 + ln 5 + 4 = 9.40; a2: 2 + ln 5 + 4 = 7.61; b1: 2 + 4.
  // x1 has no zone, and yet is not ignored: 2.
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 9), Pair("a2", 8),
                                      Pair("b1", 6), Pair("x1", 2)));
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a1", 22), Pair("a2", 33),
                                             Pair("b1", 55), Pair("x1", 100)));
}

TEST_F(PodTopologySpreadScoreTest, SystemDefaultsSpreadPodsOfTheirControllers) {
  const struct {
    const char* api_version;
    const char* kind;
    const char* selector;
  } kControllers[] = {
      {"v1", "ReplicationController", "{app: web}"},
      {"apps/v1", "ReplicaSet", "{matchLabels: {app: web}}"},
      {"apps/v1", "StatefulSet", "{matchLabels: {app: web}}"},
  };
  AddWeb("a1", 1);
  for (const auto& [api_version, kind, selector] : kControllers) {
    const std::string type =
        "apiVersion: " + std::string(api_version) + ", kind: " + kind;
    const std::string pod =
        "{metadata: {labels: {app: web}, ownerReferences: [{" + type +
        ", name: owner, controller: true}]}}";
    EXPECT_EQ(Score(pod).status, "skip") << kind;
    AddObjects(cluster_, "---\n{" + type +
                             ", metadata: {name: owner}, spec: {selector: " +
                             selector + "}}");
    EXPECT_THAT(Score(pod).raw, ElementsAre(Pair("a1", 9), Pair("a2", 8),
                                            Pair("b1", 6), Pair("x1", 2)))
        << kind;
  }
}

TEST_F(PodTopologySpreadScoreTest,
       ByDefaultsNodesWithoutZoneAreADomainWithoutName) {
  AddNode(cluster_, "y1", {{kZone, ""}, {kHost, "y1"}});
  AddService();
  AddWeb("x1", 2);
  // Zones a, b and "": ln 5; hosts: ln 7 = 1.95. The pods on x1 are in y1's
  // domain: 2 + 2 ln 5 + 4 = 9.22. x1: 2 ln 7 + 2 = 5.89.
  EXPECT_THAT(Score(kPlainWeb).raw,
              ElementsAre(Pair("a1", 6), Pair("a2", 6), Pair("b1", 6),
                          Pair("x1", 6), Pair("y1", 9)));
}

TEST_F(PodTopologySpreadScoreTest, OwnConstraintsReplaceTheDefaults) {
  AddService();
  AddWeb("a1", 1);
  EXPECT_THAT(
      Score(Spread(Soft(kZone))).raw,
      ElementsAre(Pair("a1", 1), Pair("a2", 1), Pair("b1", 0), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest,
       ByListedDefaultsNodesWithoutAllKeysAreIgnored) {
  PodTopologySpreadArgs args;
  args.system_defaulting = false;
  TopologySpreadConstraint& constraint =
      args.default_constraints.emplace_back();
  constraint.max_skew = 1;
  constraint.topology_key = kZone;
  constraint.when_unsatisfiable = kScheduleAnyway;
  AddService();
  AddWeb("a1", 1);
  const Scores scores =
      RunScore(PodTopologySpread(args), cluster_, MakePod(kPlainWeb));
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 1), Pair("a2", 1),
                                      Pair("b1", 0), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a1", 0), Pair("a2", 0),
                                             Pair("b1", 100), Pair("x1", 0)));
}

TEST_F(PodTopologySpreadScoreTest, WithoutAnyDefaultsPlainPodsAreSkipped) {
  PodTopologySpreadArgs args;
  args.system_defaulting = false;
  AddService();
  EXPECT_EQ(
      RunScore(PodTopologySpread(args), cluster_, MakePod(kPlainWeb)).status,
      "skip");
}

}  // namespace
}  // namespace vicinal
