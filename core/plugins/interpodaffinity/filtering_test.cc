#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/framework.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"
#include "core/testing/objects.h"
#include "core/testing/run_plugin.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kOk[] = "ok";
constexpr char kNoAffinity[] =
    "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules";
constexpr char kAntiAffinity[] =
    "Unschedulable: node(s) didn't match pod anti-affinity rules";
constexpr char kExistingAntiAffinity[] =
    "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";

// A pod with required terms of one kind ("podAffinity" or "podAntiAffinity").
std::string Requiring(std::string_view kind, std::string_view terms,
                      std::string_view metadata = "labels: {app: web}") {
  std::string yaml = "{metadata: {";
  yaml.append(metadata).append("}, spec: {affinity: {").append(kind);
  yaml.append(": {requiredDuringSchedulingIgnoredDuringExecution: [");
  return yaml.append(terms).append("]}}}}");
}

constexpr char kWebByZone[] =
    "{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}";

// Nodes a1 and a2 in zone a, b1 in zone b, and x1 without a zone.
class InterPodAffinityFilterTest : public ::testing::Test {
 protected:
  InterPodAffinityFilterTest() {
    AddNode(cluster_, "a1", {{"zone", "a"}, {"host", "a1"}});
    AddNode(cluster_, "a2", {{"zone", "a"}, {"host", "a2"}});
    AddNode(cluster_, "b1", {{"zone", "b"}, {"host", "b1"}});
    AddNode(cluster_, "x1", {{"host", "x1"}});
  }

  void Add(std::string node, std::string_view yaml) {
    AddPod(cluster_, std::move(node), yaml);
  }

  std::map<std::string, std::string> Filter(std::string_view pod) const {
    return RunFilter(plugin_, cluster_, MakePod(pod));
  }

  const InterPodAffinity plugin_{InterPodAffinityArgs()};
  ClusterState cluster_;
};

TEST_F(InterPodAffinityFilterTest, APlainPodAmongPlainPodsIsSkipped) {
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter("{metadata: {labels: {app: web}}}"),
              ElementsAre(Pair("*", "skip")));
}

TEST_F(InterPodAffinityFilterTest, PreferencesAloneAreSkipped) {
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(
      Filter("{spec: {affinity: {podAffinity: "
             "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
             "podAffinityTerm: {topologyKey: zone, labelSelector: {}}}]}}}}"),
      ElementsAre(Pair("*", "skip")));
}

TEST_F(InterPodAffinityFilterTest, AffinityWantsTheDomainOfAMatchingPod) {
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, AntiAffinityAvoidsTheDomainOfAMatchingPod) {
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kAntiAffinity), Pair("a2", kAntiAffinity),
                          Pair("b1", kOk), Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, ExistingPodsAntiAffinityIsHonoured) {
  Add("a1",
      Requiring("podAntiAffinity", kWebByZone, "name: p, labels: {app: db}"));
  EXPECT_THAT(Filter("{metadata: {labels: {app: web}}}"),
              ElementsAre(Pair("a1", kExistingAntiAffinity),
                          Pair("a2", kExistingAntiAffinity), Pair("b1", kOk),
                          Pair("x1", kOk)));
  EXPECT_THAT(Filter("{metadata: {labels: {app: db}}}"),
              ElementsAre(Pair("*", "skip")));
}

TEST_F(InterPodAffinityFilterTest, ExistingPodsAffinityBindsNobodyElse) {
  Add("a1", Requiring("podAffinity", kWebByZone, "name: p, labels: {app: db}"));
  EXPECT_THAT(Filter("{metadata: {labels: {app: web}}}"),
              ElementsAre(Pair("*", "skip")));
}

TEST_F(InterPodAffinityFilterTest, AntiAffinityNeverFailsANodeWithoutTheKey) {
  Add("x1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest,
       ExistingAntiAffinityOfANodeWithoutTheKeyIsNone) {
  Add("x1", Requiring("podAntiAffinity", kWebByZone, "name: p"));
  EXPECT_THAT(Filter("{metadata: {labels: {app: web}}}"),
              ElementsAre(Pair("*", "skip")));
}

TEST_F(InterPodAffinityFilterTest, AffinityIsCheckedFirstThenOwnAntiAffinity) {
  Add("a1",
      Requiring("podAntiAffinity", kWebByZone, "name: p, labels: {app: web}"));
  // Refused on every count in zone a; in b only affinity is missing.
  EXPECT_THAT(Filter(R"(
metadata: {labels: {app: web}}
spec:
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: db}}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: web}}}
)"),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kAntiAffinity), Pair("a2", kAntiAffinity),
                          Pair("b1", kOk), Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, TheFirstPodOfAGroupMayGoWhereTheKeysAre) {
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, TheFirstPodMustMatchItsOwnTerms) {
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone, "labels: {app: db}")),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, TheFirstPodMustMatchAllItsTerms) {
  EXPECT_THAT(Filter(Requiring("podAffinity",
                               std::string(kWebByZone) +
                                   ", {topologyKey: host, labelSelector: "
                                   "{matchLabels: {app: db}}}")),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, TheFirstPodMustBeInTheTermsNamespaces) {
  EXPECT_THAT(Filter(Requiring("podAffinity",
                               "{topologyKey: zone, namespaces: [other], "
                               "labelSelector: {matchLabels: {app: web}}}")),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, AMatchAnywhereEndsTheRuleOfTheFirstPod) {
  Add("b1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kOk), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, AMatchOnANodeWithoutTheKeyIsNoMatch) {
  Add("x1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, OnePodMustMatchAllTerms) {
  constexpr char kTerms[] =
      "{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}, "
      "{topologyKey: zone, labelSelector: {matchLabels: {tier: front}}}";
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  Add("a1", "{metadata: {name: q, labels: {tier: front}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kTerms, "labels: {}")),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
  Add("b1", "{metadata: {name: r, labels: {app: web, tier: front}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kTerms, "labels: {}")),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kOk), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, DifferentPodsMaySatisfyDifferentTopologies) {
  // On a2: zone a because of p on a1, host a2 because of q.
  constexpr char kTerms[] =
      "{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}, "
      "{topologyKey: rack, labelSelector: {matchLabels: {app: web}}}";
  AddNode(cluster_, "a1", {{"zone", "a"}});
  AddNode(cluster_, "a2", {{"zone", "a"}, {"rack", "r"}});
  AddNode(cluster_, "b1", {{"zone", "b"}, {"rack", "r"}});
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kTerms)),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
  Add("b1", "{metadata: {name: q, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kTerms)),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kOk),
                          Pair("b1", kOk), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, OneAntiAffinityTermIsEnoughToFail) {
  Add("b1", "{metadata: {name: p, labels: {tier: front}}}");
  EXPECT_THAT(Filter(Requiring("podAntiAffinity",
                               std::string(kWebByZone) +
                                   ", {topologyKey: zone, labelSelector: "
                                   "{matchLabels: {tier: front}}}")),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk),
                          Pair("b1", kAntiAffinity), Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, TerminatingPodsCount) {
  constexpr char kTerminating[] =
      "name: p, labels: {app: web}, deletionTimestamp: 2026-01-01T00:00:00Z";
  Add("a1", "{metadata: {" + std::string(kTerminating) + "}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kAntiAffinity), Pair("a2", kAntiAffinity),
                          Pair("b1", kOk), Pair("x1", kOk)));
  Add("a1", Requiring("podAntiAffinity", kWebByZone, kTerminating));
  EXPECT_THAT(Filter("{metadata: {labels: {app: web}}}"),
              ElementsAre(Pair("a1", kExistingAntiAffinity),
                          Pair("a2", kExistingAntiAffinity), Pair("b1", kOk),
                          Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, PodsOnUnknownNodesDoNotCount) {
  Add("gone", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, AnAbsentSelectorMatchesNoPod) {
  Add("a1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", "{topologyKey: zone}")),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kOk)));
  EXPECT_THAT(Filter(Requiring("podAffinity", "{topologyKey: zone}")),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, AnEmptySelectorMatchesEveryPod) {
  Add("a1", "{metadata: {name: p}}");
  constexpr char kAll[] = "{topologyKey: zone, labelSelector: {}}";
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", kAll)),
              ElementsAre(Pair("a1", kAntiAffinity), Pair("a2", kAntiAffinity),
                          Pair("b1", kOk), Pair("x1", kOk)));
  EXPECT_THAT(Filter(Requiring("podAffinity", kAll)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
}

TEST_F(InterPodAffinityFilterTest, AnEmptyTopologyValueIsADomain) {
  AddNode(cluster_, "x1", {{"zone", ""}});
  Add("x1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kNoAffinity), Pair("a2", kNoAffinity),
                          Pair("b1", kNoAffinity), Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, OnlyPodsOfTheTermsNamespacesCount) {
  Add("a1", "{metadata: {name: p, namespace: other, labels: {app: web}}}");
  EXPECT_THAT(Filter(Requiring("podAntiAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kOk)));
  EXPECT_THAT(Filter(Requiring("podAntiAffinity",
                               "{topologyKey: zone, namespaces: [other], "
                               "labelSelector: {matchLabels: {app: web}}}")),
              ElementsAre(Pair("a1", kAntiAffinity), Pair("a2", kAntiAffinity),
                          Pair("b1", kOk), Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, NamespacesAndNamespaceSelectorAreUnited) {
  AddObjects(cluster_,
             "apiVersion: v1\nkind: Namespace\n"
             "metadata: {name: selected, labels: {team: t}}");
  Add("a1", "{metadata: {name: p, namespace: named, labels: {app: web}}}");
  Add("b1", "{metadata: {name: p, namespace: selected, labels: {app: web}}}");
  Add("x1", "{metadata: {name: p, namespace: default, labels: {app: web}}}");
  const auto filter = [this](const char* namespaces) {
    return Filter(
        Requiring("podAntiAffinity", "{topologyKey: host, labelSelector: {}, " +
                                         std::string(namespaces) + "}"));
  };
  EXPECT_THAT(filter("namespaces: [named], "
                     "namespaceSelector: {matchLabels: {team: t}}"),
              ElementsAre(Pair("a1", kAntiAffinity), Pair("a2", kOk),
                          Pair("b1", kAntiAffinity), Pair("x1", kOk)));
  EXPECT_THAT(filter("namespaceSelector: {matchLabels: {team: t}}"),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk),
                          Pair("b1", kAntiAffinity), Pair("x1", kOk)));
  // "named" and "default" are not known, and yet among all namespaces.
  EXPECT_THAT(
      filter("namespaceSelector: {}"),
      ElementsAre(Pair("a1", kAntiAffinity), Pair("a2", kOk),
                  Pair("b1", kAntiAffinity), Pair("x1", kAntiAffinity)));
}

TEST_F(InterPodAffinityFilterTest,
       ANegativeNamespaceSelectorSelectsOnlyKnownOnes) {
  AddObjects(cluster_, R"(---
{apiVersion: v1, kind: Namespace, metadata: {name: dev, labels: {team: t}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: prod}}
)");
  Add("a1", "{metadata: {name: p, namespace: dev}}");
  Add("b1", "{metadata: {name: p, namespace: prod}}");
  Add("x1", "{metadata: {name: p, namespace: unknown}}");
  EXPECT_THAT(
      Filter(Requiring("podAntiAffinity",
                       "{topologyKey: host, labelSelector: {}, "
                       "namespaceSelector: {matchExpressions: [{key: team, "
                       "operator: DoesNotExist}]}}")),
      ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kAntiAffinity),
                  Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest,
       ExistingTermsSeeTheLabelsOfTheIncomingPodsNamespace) {
  constexpr char kTerm[] =
      "{topologyKey: host, labelSelector: {}, "
      "namespaceSelector: {matchLabels: {team: t}}}";
  constexpr char kNoTeam[] =
      "{topologyKey: host, labelSelector: {}, namespaceSelector: "
      "{matchExpressions: [{key: team, operator: DoesNotExist}]}}";
  Add("a1", Requiring("podAntiAffinity", kTerm, "name: p"));
  Add("b1", Requiring("podAntiAffinity", kNoTeam, "name: q"));
  // A namespace that is not known has no labels.
  EXPECT_THAT(Filter("{metadata: {namespace: shop}}"),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk),
                          Pair("b1", kExistingAntiAffinity), Pair("x1", kOk)));
  AddObjects(cluster_,
             "apiVersion: v1\nkind: Namespace\n"
             "metadata: {name: shop, labels: {team: t}}");
  EXPECT_THAT(Filter("{metadata: {namespace: shop}}"),
              ElementsAre(Pair("a1", kExistingAntiAffinity), Pair("a2", kOk),
                          Pair("b1", kOk), Pair("x1", kOk)));
}

TEST_F(InterPodAffinityFilterTest, APodThatDoesNotParseFitsNowhere) {
  EXPECT_THAT(
      Filter(Requiring("podAffinity",
                       "{topologyKey: zone, labelSelector: "
                       "{matchExpressions: [{key: app, operator: Gt}]}}")),
      ElementsAre(Pair("*",
                       "UnschedulableAndUnresolvable: parsing pod: "
                       "requiredAffinityTerms: \"Gt\" is not a valid label "
                       "selector operator")));
}

TEST_F(InterPodAffinityFilterTest,
       ExistingPodsThatDoNotParseCountWithoutThoseTerms) {
  Add("a1", Requiring("podAntiAffinity",
                      "{topologyKey: zone, labelSelector: {}}, "
                      "{topologyKey: zone, labelSelector: "
                      "{matchExpressions: [{key: app, operator: Gt}]}}",
                      "name: p, labels: {app: web}"));
  EXPECT_THAT(Filter("{metadata: {labels: {app: web}}}"),
              ElementsAre(Pair("*", "skip")));
  EXPECT_THAT(Filter(Requiring("podAffinity", kWebByZone)),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk),
                          Pair("b1", kNoAffinity), Pair("x1", kNoAffinity)));
}

// For a pod that is put on a node in addition.
class InterPodAffinityWithPodsTest : public InterPodAffinityFilterTest {
 protected:
  // What the filter says about `node` once `added` is on `place`.
  std::string FilterWith(std::string_view incoming, std::string_view added,
                         std::string_view place, std::string_view node) const {
    const PodInfo pod = MakePod(incoming);
    const PodInfo other = MakePod(added);
    const PreFilterResult prepared = plugin_.PreFilter(cluster_, pod);
    EXPECT_TRUE(prepared.status.ok());
    const std::vector<const PodInfo*> pods = {&other};
    const auto filter =
        prepared.filter->WithPods(pods, *cluster_.FindNode(place));
    // The filter that it was made from knows nothing of it.
    EXPECT_EQ(Described(prepared.filter->Filter(*cluster_.FindNode(node))),
              Filter(incoming)[std::string(node)]);
    return Described(filter->Filter(*cluster_.FindNode(node)));
  }
};

TEST_F(InterPodAffinityWithPodsTest, AnAddedPodSatisfiesAffinity) {
  Add("b1", "{metadata: {name: p, labels: {app: web}}}");
  EXPECT_EQ(FilterWith(Requiring("podAffinity", kWebByZone),
                       "{metadata: {name: q, labels: {app: web}}}", "a1", "a2"),
            kOk);
}

TEST_F(InterPodAffinityWithPodsTest, AnAddedPodViolatesAntiAffinity) {
  EXPECT_EQ(FilterWith(Requiring("podAntiAffinity", kWebByZone),
                       "{metadata: {name: q, labels: {app: web}}}", "a1", "a2"),
            kAntiAffinity);
}

TEST_F(InterPodAffinityWithPodsTest, AnAddedPodsAntiAffinityIsHonoured) {
  EXPECT_EQ(FilterWith(Requiring("podAffinity", kWebByZone),
                       Requiring("podAntiAffinity", kWebByZone,
                                 "name: q, labels: {app: web}"),
                       "a1", "a2"),
            kExistingAntiAffinity);
}

}  // namespace
}  // namespace vicinal
