#include "core/index/pod_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The pod's only required affinity term, whose fields are given.
AffinityTerm TermOf(std::string_view fields) {
  const PodInfo pod = MakePod(
      "{metadata: {namespace: own}, spec: {affinity: {podAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, " +
      std::string(fields) + "}]}}}}");
  EXPECT_TRUE(pod.parse_error.ok()) << pod.parse_error;
  EXPECT_THAT(pod.required_affinity_terms, SizeIs(1));
  return pod.required_affinity_terms.at(0);
}

Pod PodIn(std::string namespace_name, Labels labels = {}) {
  Pod pod;
  pod.meta.namespace_name = std::move(namespace_name);
  pod.meta.labels = std::move(labels);
  return pod;
}

constexpr char kAll[] = "labelSelector: {}";

TEST(AffinityTermTest, WithoutNamespacesItIsAboutThePodsOwnNamespace) {
  const AffinityTerm term = TermOf(kAll);
  EXPECT_THAT(term.namespaces, ElementsAre("own"));
  EXPECT_TRUE(term.Matches(PodIn("own"), {}));
  EXPECT_FALSE(term.Matches(PodIn("other"), {{"team", "t"}}));
}

TEST(AffinityTermTest, WithNamespacesItIsAboutThoseOnly) {
  const AffinityTerm term = TermOf("namespaces: [a, b], labelSelector: {}");
  EXPECT_TRUE(term.Matches(PodIn("a"), {}));
  EXPECT_TRUE(term.Matches(PodIn("b"), {}));
  EXPECT_FALSE(term.Matches(PodIn("own"), {}));
}

TEST(AffinityTermTest, ANamespaceSelectorAloneExcludesTheOwnNamespace) {
  const AffinityTerm term =
      TermOf("namespaceSelector: {matchLabels: {team: t}}, labelSelector: {}");
  EXPECT_TRUE(term.Matches(PodIn("other"), {{"team", "t"}}));
  EXPECT_FALSE(term.Matches(PodIn("own"), {}));
  EXPECT_TRUE(term.Matches(PodIn("own"), {{"team", "t"}}));
}

TEST(AffinityTermTest, NamespacesAndNamespaceSelectorAreUnited) {
  const AffinityTerm term = TermOf(
      "namespaces: [a], namespaceSelector: {matchLabels: {team: t}}, "
      "labelSelector: {}");
  EXPECT_TRUE(term.Matches(PodIn("a"), {}));
  EXPECT_TRUE(term.Matches(PodIn("other"), {{"team", "t"}}));
  EXPECT_FALSE(term.Matches(PodIn("other"), {{"team", "u"}}));
  EXPECT_FALSE(term.Matches(PodIn("own"), {}));
}

TEST(AffinityTermTest, AnEmptyNamespaceSelectorIsAboutAllNamespaces) {
  const AffinityTerm term = TermOf("namespaceSelector: {}, labelSelector: {}");
  EXPECT_TRUE(term.Matches(PodIn("anywhere"), {}));
}

TEST(AffinityTermTest, AnAbsentLabelSelectorIsAboutNoPod) {
  EXPECT_FALSE(TermOf("namespaceSelector: {}").Matches(PodIn("own"), {}));
}

TEST(AffinityTermTest, LabelsMustMatchAsWell) {
  const AffinityTerm term = TermOf("labelSelector: {matchLabels: {app: web}}");
  EXPECT_TRUE(term.Matches(PodIn("own", {{"app", "web"}}), {}));
  EXPECT_FALSE(term.Matches(PodIn("own", {{"app", "db"}}), {}));
  EXPECT_FALSE(term.Matches(PodIn("own"), {}));
}

TEST(PodInfoTest, EveryCategoryOfTermsIsParsed) {
  const PodInfo pod = MakePod(R"(
spec:
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: a}
      - {topologyKey: b}
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 1, podAffinityTerm: {topologyKey: c}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: d}
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 2, podAffinityTerm: {topologyKey: e}}
)");
  ASSERT_THAT(pod.required_affinity_terms, SizeIs(2));
  EXPECT_EQ(pod.required_affinity_terms[0].topology_key, "a");
  EXPECT_EQ(pod.required_affinity_terms[1].topology_key, "b");
  ASSERT_THAT(pod.preferred_affinity_terms, SizeIs(1));
  EXPECT_EQ(pod.preferred_affinity_terms[0].term.topology_key, "c");
  EXPECT_EQ(pod.preferred_affinity_terms[0].weight, 1);
  ASSERT_THAT(pod.required_anti_affinity_terms, SizeIs(1));
  EXPECT_EQ(pod.required_anti_affinity_terms[0].topology_key, "d");
  ASSERT_THAT(pod.preferred_anti_affinity_terms, SizeIs(1));
  EXPECT_EQ(pod.preferred_anti_affinity_terms[0].term.topology_key, "e");
  EXPECT_EQ(pod.preferred_anti_affinity_terms[0].weight, 2);
  EXPECT_TRUE(pod.HasAffinity());
}

TEST(PodInfoTest, AnyCategoryAloneIsAffinity) {
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    for (const char* list :
         {"requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z}]",
          "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
          "podAffinityTerm: {topologyKey: z}}]"}) {
      EXPECT_TRUE(MakePod("{spec: {affinity: {" + std::string(kind) + ": {" +
                          list + "}}}}")
                      .HasAffinity())
          << kind << list;
    }
  }
  EXPECT_FALSE(MakePod("{}").HasAffinity());
  EXPECT_FALSE(MakePod("{spec: {affinity: {podAffinity: {}}}}").HasAffinity());
}

TEST(PodInfoTest, ACategoryThatDoesNotParseIsLeftOutAsAWhole) {
  const PodInfo pod = MakePod(R"(
spec:
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: a, labelSelector: {}}
      - topologyKey: b
        labelSelector: {matchExpressions: [{key: x, operator: Gt}]}
      - {topologyKey: c, labelSelector: {}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: d, labelSelector: {}}
)");
  EXPECT_THAT(pod.required_affinity_terms, IsEmpty());
  EXPECT_THAT(pod.required_anti_affinity_terms, SizeIs(1));
  EXPECT_EQ(pod.parse_error.message(),
            "requiredAffinityTerms: \"Gt\" is not a valid label selector "
            "operator");
}

TEST(PodInfoTest, AllCategoriesThatDoNotParseAreReported) {
  const PodInfo pod = MakePod(R"(
spec:
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: a
        labelSelector: {matchExpressions: [{key: x, operator: A}]}
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        podAffinityTerm:
          topologyKey: a
          namespaceSelector: {matchExpressions: [{key: x, operator: B}]}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: a
        labelSelector: {matchExpressions: [{key: x, operator: C}]}
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        podAffinityTerm:
          topologyKey: a
          labelSelector: {matchExpressions: [{key: x, operator: D}]}
)");
  EXPECT_EQ(pod.parse_error.message(),
            "[requiredAffinityTerms: \"A\" is not a valid label selector "
            "operator, requiredAntiAffinityTerms: \"C\" is not a valid label "
            "selector operator, preferredAffinityTerms: \"B\" is not a valid "
            "label selector operator, preferredAntiAffinityTerms: \"D\" is not "
            "a valid label selector operator]");
  EXPECT_FALSE(pod.HasAffinity());
}

}  // namespace
}  // namespace vicinal
