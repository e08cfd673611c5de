#include "core/engine/violated_budgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/model/kubernetes_release.h"
#include "core/testing/budgets.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;

// a, b and c have app=web, d has app=db, and e has no label.
void AddPods(ClusterState& cluster) {
  AddNode(cluster, "n1");
  for (const std::string name : {"a", "b", "c"}) {
    AddPod(cluster, "n1",
           "{metadata: {name: " + name + ", labels: {app: web}}}");
  }
  AddPod(cluster, "n1", "{metadata: {name: d, labels: {app: db}}}");
  AddPod(cluster, "n1", "{metadata: {name: e}}");
}

std::vector<bool> Violates(const ClusterState& cluster) {
  std::vector<ObjectKey> pods;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    pods.push_back({"default", name});
  }
  return ViolatesBudgets(pods, cluster);
}

constexpr char kWeb[] = "{selector: {matchLabels: {app: web}}}";

TEST(ViolatesBudgetsTest, NoPodWithoutABudget) {
  ClusterState cluster;
  AddPods(cluster);
  EXPECT_THAT(Violates(cluster),
              ElementsAre(false, false, false, false, false));
}

TEST(ViolatesBudgetsTest, ThePodsBehindThoseThatTheBudgetAllows) {
  ClusterState cluster;
  AddPods(cluster);
  AddBudget(cluster, "web", kWeb, "{disruptionsAllowed: 1}");
  EXPECT_THAT(Violates(cluster), ElementsAre(false, true, true, false, false));
}

TEST(ViolatesBudgetsTest, APodThatIsGoingAlreadyTakesNothing) {
  ClusterState cluster;
  AddPods(cluster);
  AddBudget(cluster, "web", kWeb,
            "{disruptionsAllowed: 1, disruptedPods: {a: "
            "\"2026-01-01T00:00:00Z\"}}");
  EXPECT_THAT(Violates(cluster), ElementsAre(false, false, true, false, false));
}

TEST(ViolatesBudgetsTest, ASelectorThatIsAbsentEmptyOrWrongIsAboutNoPod) {
  ClusterState cluster;
  AddPods(cluster);
  AddBudget(cluster, "absent", "{}", "{disruptionsAllowed: 0}");
  AddBudget(cluster, "empty", "{selector: {}}", "{disruptionsAllowed: 0}");
  AddBudget(cluster, "wrong",
            "{selector: {matchExpressions: [{key: app, operator: Like}]}}",
            "{disruptionsAllowed: 0}");
  EXPECT_THAT(Violates(cluster),
              ElementsAre(false, false, false, false, false));
}

TEST(ViolatesBudgetsTest, ABudgetOfAnotherNamespaceIsNotAskedFor) {
  ClusterState cluster;
  AddPods(cluster);
  AddObjects(cluster, R"(

apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: other}
spec: {selector: {matchLabels: {app: web}}}
)");
  EXPECT_THAT(Violates(cluster),
              ElementsAre(false, false, false, false, false));
}

// "all" allows nothing, "web" one pod. From 1.37 on "all" ends the search.
TEST(ViolatesBudgetsTest, UpTo136APodTakesFromAllBudgets) {
  for (const bool up_to_1_36 : {false, true}) {
    KubernetesRelease release;
    release.violated_budget_ends_search = !up_to_1_36;
    ClusterState cluster(release);
    AddPods(cluster);
    AddBudget(cluster, "a-first",
              "{selector: {matchExpressions: [{key: app, operator: In, values: "
              "[web]}]}}",
              "{disruptionsAllowed: 0, disruptedPods: {b: "
              "\"2026-01-01T00:00:00Z\"}}");
    AddBudget(cluster, "web", kWeb, "{disruptionsAllowed: 1}");
    EXPECT_THAT(Violates(cluster),
                ElementsAre(true, up_to_1_36, true, false, false))
        << up_to_1_36;
  }
}

}  // namespace
}  // namespace vicinal
