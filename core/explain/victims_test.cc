#include "core/explain/victims.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/engine/default_profile.h"
#include "core/explain/explain.h"
#include "core/testing/budgets.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

constexpr char kApart[] = R"(
metadata: {name: p, labels: {app: web}}
spec:
  priority: 10
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - labelSelector: {matchLabels: {app: web}}
        topologyKey: kubernetes.io/hostname
)";

class VictimsTest : public ::testing::Test {
 protected:
  VictimsTest() {
    for (const char* name : {"n1", "n2"}) {
      Node node = MakeNode(name, {{"kubernetes.io/hostname", name}});
      node.allocatable["pods"] = Quantity::FromValue(10);
      cluster_.Upsert(std::move(node));
    }
  }

  std::optional<Victims> Find() {
    const PluginConfig config;
    const Profile profile = DefaultProfile(config);
    const PodInfo pod = MakePod(kApart);
    const Explanation explanation = Explain(cluster_, profile, config, pod);
    EXPECT_EQ(explanation.fitting, 0);
    return FindVictims(profile, pod, explanation, cluster_);
  }

  ClusterState cluster_;
};

TEST_F(VictimsTest, TakesTheLeastImportantPodsThatAreInTheWay) {
  AddPod(cluster_, "n1", R"(
{metadata: {name: a, labels: {app: web}}, spec: {priority: 5}})");
  AddPod(cluster_, "n2", R"(
{metadata: {name: b, labels: {app: web}}, spec: {priority: 1}})");
  AddPod(cluster_, "n2", "{metadata: {name: c, labels: {app: other}}}");
  const std::optional<Victims> victims = Find();
  ASSERT_TRUE(victims.has_value());
  EXPECT_EQ(victims->node, "n2");
  ASSERT_EQ(victims->pods.size(), 1);
  EXPECT_EQ(victims->pods[0].key.name, "b");
  EXPECT_EQ(victims->highest_priority, 1);
  EXPECT_EQ(cluster_.pod_count(), 3);
}

TEST_F(VictimsTest, ANodeWithoutProtectedPodsComesFirst) {
  AddBudget(cluster_, "gold", "{selector: {matchLabels: {tier: gold}}}");
  AddPod(cluster_, "n1", R"(
{metadata: {name: a, labels: {app: web, tier: gold}}, spec: {priority: 1}})");
  AddPod(cluster_, "n2", R"(
{metadata: {name: b, labels: {app: web}}, spec: {priority: 5}})");
  std::optional<Victims> victims = Find();
  ASSERT_TRUE(victims.has_value());
  EXPECT_EQ(victims->node, "n2");
  EXPECT_EQ(victims->violations, 0);
  cluster_.Remove<Node>({"", "n2"});
  victims = Find();
  ASSERT_TRUE(victims.has_value());
  EXPECT_EQ(victims->node, "n1");
  EXPECT_EQ(victims->violations, 1);
}

TEST_F(VictimsTest, PodsOfTheSamePriorityStay) {
  for (const char* node : {"n1", "n2"}) {
    AddPod(cluster_, node,
           std::string("{metadata: {name: on-") + node +
               ", labels: {app: web}}, spec: {priority: 10}}");
  }
  EXPECT_FALSE(Find().has_value());
}

}  // namespace
}  // namespace vicinal
