#include "core/engine/placement_dependency.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/testing/objects.h"

namespace vicinal {
namespace {

class PlacementDependencyTest : public ::testing::Test {
 protected:
  bool DependsOn(const PodInfo& pod, const PodInfo& other) const {
    return PlacementDependency(cluster_, pod).On(other);
  }

  ClusterState cluster_;
};

PodInfo Plain(std::string_view app, std::string_view namespace_name) {
  return MakePod(
      "{metadata: {name: plain, namespace: " + std::string(namespace_name) +
      ", labels: {app: " + std::string(app) + "}}}");
}

// A pod of app x with one term to app web in its own namespace.
PodInfo WithTerm(const std::string& kind, bool required) {
  const std::string term =
      "{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}";
  return MakePod(
      "{metadata: {name: x, labels: {app: x}}, spec: {affinity: {" + kind +
      ": {" +
      (required ? "requiredDuringSchedulingIgnoredDuringExecution: [" + term
                : "preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
                  "1, podAffinityTerm: " +
                      term + "}") +
      "]}}}}");
}

TEST_F(PlacementDependencyTest, PodsWithoutTermsDoNotMatterToEachOther) {
  EXPECT_FALSE(DependsOn(Plain("web", "default"), Plain("web", "default")));
}

TEST_F(PlacementDependencyTest, ATermOfAnyKindMattersBothWays) {
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    for (const bool required : {true, false}) {
      const PodInfo x = WithTerm(kind, required);
      EXPECT_TRUE(DependsOn(x, Plain("web", "default"))) << kind << required;
      EXPECT_TRUE(DependsOn(Plain("web", "default"), x)) << kind << required;
      EXPECT_FALSE(DependsOn(x, Plain("db", "default"))) << kind << required;
      EXPECT_FALSE(DependsOn(Plain("db", "default"), x)) << kind << required;
      EXPECT_FALSE(DependsOn(x, Plain("web", "other"))) << kind << required;
      EXPECT_FALSE(DependsOn(Plain("web", "other"), x)) << kind << required;
    }
  }
}

TEST_F(PlacementDependencyTest, ANamespaceSelectorIsMatchedAgainstItsLabels) {
  AddObjects(cluster_, R"(
apiVersion: v1
kind: Namespace
metadata: {name: blue, labels: {team: blue}}
)");
  const PodInfo x = MakePod(R"(
metadata: {name: x}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        labelSelector: {}
        namespaceSelector: {matchLabels: {team: blue}}
)");
  EXPECT_TRUE(DependsOn(x, Plain("web", "blue")));
  EXPECT_TRUE(DependsOn(Plain("web", "blue"), x));
  EXPECT_FALSE(DependsOn(x, Plain("web", "red")));
  EXPECT_FALSE(DependsOn(Plain("web", "red"), x));
}

TEST_F(PlacementDependencyTest, SpreadCountsSelectedPodsOfTheNamespace) {
  for (const char* action : {"DoNotSchedule", "ScheduleAnyway"}) {
    const PodInfo x = MakePod(
        "{metadata: {name: x, labels: {app: x}}, spec: "
        "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
        "whenUnsatisfiable: " +
        std::string(action) + ", labelSelector: {matchLabels: {app: web}}}]}}");
    EXPECT_TRUE(DependsOn(x, Plain("web", "default"))) << action;
    EXPECT_FALSE(DependsOn(x, Plain("web", "other"))) << action;
    EXPECT_FALSE(DependsOn(x, Plain("db", "default"))) << action;
    // Spread looks one way only.
    EXPECT_FALSE(DependsOn(Plain("web", "default"), x)) << action;
  }
}

TEST_F(PlacementDependencyTest, SpreadSelectorsHaveTheirMatchLabelKeysMerged) {
  const PodInfo x = MakePod(R"(
metadata: {name: x, labels: {app: web, hash: h1}}
spec:
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: web}}
    matchLabelKeys: [hash]
)");
  EXPECT_TRUE(DependsOn(
      x, MakePod("{metadata: {name: other, labels: {app: web, hash: h1}}}")));
  EXPECT_FALSE(DependsOn(
      x, MakePod("{metadata: {name: other, labels: {app: web, hash: h2}}}")));
}

TEST_F(PlacementDependencyTest, DefaultSpreadCountsPodsOfTheSameService) {
  AddObjects(cluster_, R"(
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {selector: {app: web}}
)");
  EXPECT_TRUE(DependsOn(Plain("web", "default"), Plain("web", "default")));
  EXPECT_FALSE(DependsOn(Plain("web", "default"), Plain("db", "default")));
  EXPECT_FALSE(DependsOn(Plain("db", "default"), Plain("web", "default")));
  EXPECT_FALSE(DependsOn(Plain("web", "default"), Plain("web", "other")));
}

}  // namespace
}  // namespace vicinal
