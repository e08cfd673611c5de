#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"
#include "core/testing/objects.h"
#include "core/testing/run_plugin.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A pod with preferred terms of one kind ("podAffinity" or "podAntiAffinity").
std::string Preferring(std::string_view kind, std::string_view terms,
                       std::string_view metadata = "labels: {app: web}") {
  std::string yaml = "{metadata: {";
  yaml.append(metadata).append("}, spec: {affinity: {").append(kind);
  yaml.append(": {preferredDuringSchedulingIgnoredDuringExecution: [");
  return yaml.append(terms).append("]}}}}");
}

// A weighted term about pods with a label.
std::string Term(int weight, std::string_view label,
                 std::string_view key = "zone") {
  std::string yaml = "{weight: " + std::to_string(weight);
  yaml.append(", podAffinityTerm: {topologyKey: ").append(key);
  yaml.append(", labelSelector: {matchLabels: {").append(label);
  return yaml.append("}}}}");
}

constexpr char kPlainWeb[] = "{metadata: {labels: {app: web}}}";

// An existing pod that requires pods of app web in its zone.
constexpr char kRequiresWeb[] =
    "{metadata: {name: r, labels: {app: web}}, spec: {affinity: {podAffinity: "
    "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
    "labelSelector: {matchLabels: {app: web}}}]}}}}";

// Nodes a1 and a2 in zone a, b1 in b, c1 in c and x1 without a zone.
class InterPodAffinityScoreTest : public ::testing::Test {
 protected:
  InterPodAffinityScoreTest() {
    AddNode(cluster_, "a1", {{"zone", "a"}, {"host", "a1"}});
    AddNode(cluster_, "a2", {{"zone", "a"}, {"host", "a2"}});
    AddNode(cluster_, "b1", {{"zone", "b"}, {"host", "b1"}});
    AddNode(cluster_, "c1", {{"zone", "c"}, {"host", "c1"}});
    AddNode(cluster_, "x1", {{"host", "x1"}});
  }

  void Add(std::string node, std::string_view yaml) {
    AddPod(cluster_, std::move(node), yaml);
  }

  Scores Score(std::string_view pod, InterPodAffinityArgs args = {}) const {
    return RunScore(InterPodAffinity(args), cluster_, MakePod(pod));
  }

  ClusterState cluster_;
};

TEST_F(InterPodAffinityScoreTest, OwnPreferencesAddTheirWeightPerMatchingPod) {
  Add("a1", "{metadata: {name: p, labels: {app: db}}}");
  Add("a2", "{metadata: {name: q, labels: {app: db}}}");
  Add("b1", "{metadata: {name: r, labels: {app: db}}}");
  Add("c1", "{metadata: {name: s, labels: {app: other}}}");
  const Scores scores = Score(Preferring("podAffinity", Term(5, "app: db")));
  EXPECT_EQ(scores.status, "ok");
  EXPECT_THAT(scores.raw,
              ElementsAre(Pair("a1", 10), Pair("a2", 10), Pair("b1", 5),
                          Pair("c1", 0), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized,
              ElementsAre(Pair("a1", 100), Pair("a2", 100), Pair("b1", 50),
                          Pair("c1", 0), Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest, OwnAntiPreferencesSubtractTheirWeight) {
  Add("a1", "{metadata: {name: p, labels: {app: db}}}");
  const Scores scores =
      Score(Preferring("podAntiAffinity", Term(5, "app: db")));
  EXPECT_THAT(scores.raw,
              ElementsAre(Pair("a1", -5), Pair("a2", -5), Pair("b1", 0),
                          Pair("c1", 0), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized,
              ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 100),
                          Pair("c1", 100), Pair("x1", 100)));
}

TEST_F(InterPodAffinityScoreTest, ExistingPreferencesCountForTheIncomingPod) {
  Add("a1", Preferring("podAffinity", Term(7, "app: web"), "name: p"));
  Add("b1", Preferring("podAntiAffinity", Term(3, "app: web"), "name: q"));
  Add("c1", Preferring("podAffinity", Term(9, "app: db"), "name: r"));
  EXPECT_THAT(Score(kPlainWeb).raw,
              ElementsAre(Pair("a1", 7), Pair("a2", 7), Pair("b1", -3),
                          Pair("c1", 0), Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest, PreferencesOfBothSidesAddUp) {
  Add("a1", Preferring("podAffinity", Term(7, "app: web"), "name: p"));
  EXPECT_THAT(Score(Preferring("podAffinity",
                               "{weight: 2, podAffinityTerm: "
                               "{topologyKey: host, labelSelector: {}}}"))
                  .raw,
              ElementsAre(Pair("a1", 9), Pair("a2", 7), Pair("b1", 0),
                          Pair("c1", 0), Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest, ExistingRequiredAffinityCountsWithItsWeight) {
  Add("a1", kRequiresWeb);
  EXPECT_THAT(Score(kPlainWeb).raw,
              ElementsAre(Pair("a1", 1), Pair("a2", 1), Pair("b1", 0),
                          Pair("c1", 0), Pair("x1", 0)));
  InterPodAffinityArgs args;
  args.hard_pod_affinity_weight = 40;
  EXPECT_THAT(Score(kPlainWeb, args).raw,
              ElementsAre(Pair("a1", 40), Pair("a2", 40), Pair("b1", 0),
                          Pair("c1", 0), Pair("x1", 0)));
  args.hard_pod_affinity_weight = 0;
  EXPECT_EQ(Score(kPlainWeb, args).status, "skip");
}

TEST_F(InterPodAffinityScoreTest, ExistingRequiredAntiAffinityDoesNotScore) {
  Add("a1",
      "{metadata: {name: p}, spec: {affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
      "labelSelector: {}}]}}}}");
  EXPECT_EQ(Score(kPlainWeb).status, "skip");
}

TEST_F(InterPodAffinityScoreTest, OwnRequiredTermsDoNotScore) {
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_EQ(Score(kRequiresWeb).status, "skip");
}

TEST_F(InterPodAffinityScoreTest, WithoutAnyMatchItIsSkipped) {
  Add("a1", "{metadata: {name: p, labels: {app: other}}}");
  EXPECT_EQ(Score(kPlainWeb).status, "skip");
  const Scores scores = Score(Preferring("podAffinity", Term(5, "app: db")));
  EXPECT_EQ(scores.status, "skip");
  EXPECT_THAT(scores.normalized, IsEmpty());
}

TEST_F(InterPodAffinityScoreTest, AMatchOnANodeWithoutTheKeyIsNoMatch) {
  Add("x1", "{metadata: {name: p, labels: {app: db}}}");
  EXPECT_EQ(Score(Preferring("podAffinity", Term(5, "app: db"))).status,
            "skip");
}

TEST_F(InterPodAffinityScoreTest, WeightsThatCancelAreNotSkipped) {
  Add("a1", "{metadata: {name: p, labels: {app: db}}}");
  const Scores scores = Score(R"(
spec:
  affinity:
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 5, podAffinityTerm: {topologyKey: zone, labelSelector: {}}}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 5, podAffinityTerm: {topologyKey: zone, labelSelector: {}}}
)");
  EXPECT_EQ(scores.status, "ok");
  EXPECT_THAT(scores.raw,
              ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 0),
                          Pair("c1", 0), Pair("x1", 0)));
  EXPECT_THAT(scores.normalized,
              ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 0),
                          Pair("c1", 0), Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest, EqualScoresAreAllZero) {
  for (const char* node : {"a1", "b1", "c1"}) {
    Add(node,
        "{metadata: {name: p-" + std::string(node) + ", labels: {app: db}}}");
  }
  cluster_.Remove<Node>({"", "x1"});
  const Scores scores = Score(Preferring("podAffinity", Term(5, "app: db")));
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a1", 5), Pair("a2", 5),
                                      Pair("b1", 5), Pair("c1", 5)));
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a1", 0), Pair("a2", 0),
                                             Pair("b1", 0), Pair("c1", 0)));
}

TEST_F(InterPodAffinityScoreTest, NormalizedScoresAreTruncatedAsDoubles) {
  // Of a range of 100, in doubles 100 * (29 / 100) is 28.999…, and so on.
  const auto add = [this](const char* node, const char* name, int weight) {
    Add(node, Preferring("podAffinity", Term(weight, "app: web", "host"),
                         "name: " + std::string(name)));
  };
  add("a1", "p", 100);
  add("a2", "q", 29);
  add("b1", "r", 57);
  add("c1", "s", 50);
  EXPECT_THAT(Score(kPlainWeb).normalized,
              ElementsAre(Pair("a1", 100), Pair("a2", 28), Pair("b1", 56),
                          Pair("c1", 50), Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest, NormalizationSpansOnlyTheNodesGiven) {
  Add("a1", Preferring("podAffinity", Term(90, "app: web", "host"), "name: p"));
  Add("a2", Preferring("podAffinity", Term(30, "app: web", "host"), "name: q"));
  Add("b1", Preferring("podAffinity", Term(10, "app: web", "host"), "name: r"));
  const Scores scores = RunScore(InterPodAffinity(InterPodAffinityArgs()),
                                 cluster_, MakePod(kPlainWeb), {"b1", "a2"});
  EXPECT_THAT(scores.normalized, ElementsAre(Pair("a2", 100), Pair("b1", 0)));
}

TEST_F(InterPodAffinityScoreTest, PodsOutsideTheNodesGivenCount) {
  Add("a1", "{metadata: {name: p, labels: {app: db}}}");
  const Scores scores = RunScore(
      InterPodAffinity(InterPodAffinityArgs()), cluster_,
      MakePod(Preferring("podAffinity", Term(5, "app: db"))), {"a2", "b1"});
  EXPECT_THAT(scores.raw, ElementsAre(Pair("a2", 5), Pair("b1", 0)));
}

TEST_F(InterPodAffinityScoreTest, TerminatingPodsCount) {
  Add("a1",
      "{metadata: {name: p, labels: {app: db}, "
      "deletionTimestamp: 2026-01-01T00:00:00Z}}");
  EXPECT_THAT(Score(Preferring("podAffinity", Term(5, "app: db"))).raw,
              ElementsAre(Pair("a1", 5), Pair("a2", 5), Pair("b1", 0),
                          Pair("c1", 0), Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest, OnlyPodsOfTheTermsNamespacesCount) {
  Add("a1", "{metadata: {name: p, namespace: other, labels: {app: db}}}");
  EXPECT_EQ(Score(Preferring("podAffinity", Term(5, "app: db"))).status,
            "skip");
  AddObjects(cluster_,
             "apiVersion: v1\nkind: Namespace\n"
             "metadata: {name: other, labels: {team: t}}");
  EXPECT_THAT(
      Score(Preferring("podAffinity",
                       "{weight: 5, podAffinityTerm: {topologyKey: zone, "
                       "labelSelector: {}, "
                       "namespaceSelector: {matchLabels: {team: t}}}}"))
          .raw,
      ElementsAre(Pair("a1", 5), Pair("a2", 5), Pair("b1", 0), Pair("c1", 0),
                  Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest,
       ExistingTermsSeeTheLabelsOfTheIncomingPodsNamespace) {
  Add("a1", Preferring("podAffinity",
                       "{weight: 5, podAffinityTerm: {topologyKey: zone, "
                       "labelSelector: {}, "
                       "namespaceSelector: {matchLabels: {team: t}}}}",
                       "name: p"));
  constexpr char kIncoming[] = "{metadata: {namespace: shop}}";
  EXPECT_EQ(Score(kIncoming).status, "skip");
  AddObjects(cluster_,
             "apiVersion: v1\nkind: Namespace\n"
             "metadata: {name: shop, labels: {team: t}}");
  EXPECT_EQ(Score(kIncoming).status, "ok");
}

TEST_F(InterPodAffinityScoreTest, ExistingPreferencesMayBeIgnored) {
  Add("a1", Preferring("podAffinity", Term(7, "app: web"), "name: p"));
  Add("a2", kRequiresWeb);
  InterPodAffinityArgs args;
  args.ignore_preferred_terms_of_existing_pods = true;
  EXPECT_EQ(Score(kPlainWeb, args).status, "skip");
}

TEST_F(InterPodAffinityScoreTest,
       ExistingPreferencesAreNotIgnoredIfThePodHasItsOwn) {
  Add("a1", Preferring("podAffinity", Term(7, "app: web"), "name: p"));
  InterPodAffinityArgs args;
  args.ignore_preferred_terms_of_existing_pods = true;
  EXPECT_THAT(
      Score(Preferring("podAntiAffinity", Term(1, "app: nobody")), args).raw,
      ElementsAre(Pair("a1", 7), Pair("a2", 7), Pair("b1", 0), Pair("c1", 0),
                  Pair("x1", 0)));
}

TEST_F(InterPodAffinityScoreTest, APodThatDoesNotParseIsAnError) {
  EXPECT_EQ(Score(Preferring("podAffinity",
                             "{weight: 1, podAffinityTerm: {topologyKey: zone, "
                             "labelSelector: {matchExpressions: "
                             "[{key: app, operator: Gt}]}}}"))
                .status,
            "Error: failed to parse pod: preferredAffinityTerms: \"Gt\" is not "
            "a valid label selector operator");
}

}  // namespace
}  // namespace vicinal
