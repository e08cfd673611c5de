#include "server/commands/simulate/simulation_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/simulate/testing/simulation.h"

namespace vicinal {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const PageNode& NodeOf(const PageView& view, std::string_view name) {
  return *std::find_if(view.nodes.begin(), view.nodes.end(),
                       [&](const PageNode& node) { return node.name == name; });
}

class SimulationPageTest : public ::testing::Test {
 protected:
  void Finish() {
    const PluginConfig config;
    FinishSimulationPage(
        simulation_.simulated(), BuildReport(simulation_.simulated(), false),
        {{"step", true, ""}}, DefaultProfile(config), config, page_);
  }

  Simulation simulation_{kThreeNodes};
  Page page_;
};

TEST_F(SimulationPageTest, MarksWhatComesAndGoes) {
  simulation_.Apply(WorkloadYaml("Deployment", "web", 3,
                                 AwayFrom("web", "kubernetes.io/hostname")));
  page_ = StartSimulationPage(simulation_.simulated());
  simulation_.Do("drain w3");
  simulation_.Do("add-node w1=1");
  Finish();
  ASSERT_THAT(page_.views, SizeIs(2));
  const PageView& before = page_.views[0];
  const PageView& after = page_.views[1];
  ASSERT_THAT(NodeOf(before, "w3").pods, SizeIs(1));
  EXPECT_TRUE(NodeOf(before, "w3").pods[0].is_leaving);
  EXPECT_FALSE(NodeOf(before, "w1").pods[0].is_leaving);
  EXPECT_FALSE(NodeOf(after, "w1").pods[0].is_new);
  EXPECT_THAT(NodeOf(after, "w3").pods, IsEmpty());
  EXPECT_THAT(NodeOf(after, "w3").notes, Contains("cordoned"));
  ASSERT_THAT(after.nodes, SizeIs(4));
  const PageNode& added = NodeOf(after, "w1-copy-1");
  EXPECT_THAT(added.notes, ElementsAre("is new"));
  ASSERT_THAT(added.pods, SizeIs(1));
  EXPECT_TRUE(added.pods[0].is_new);
  EXPECT_THAT(after.pending, IsEmpty());
  EXPECT_EQ(page_.message,
            "0 moved, 3 started, 0 pending, 0 rules broken; "
            "4 nodes, 3 pods running (before 0), 0 pending "
            "(before 0)");
}

TEST_F(SimulationPageTest, SaysWhyPodsArePending) {
  page_ = StartSimulationPage(simulation_.simulated());
  simulation_.Apply(WorkloadYaml("Deployment", "web", 5,
                                 AwayFrom("web", "kubernetes.io/hostname")));
  simulation_.Apply(
      WorkloadYaml("Deployment", "db", 1, "nodeSelector: {disk: ssd}"));
  Finish();
  ASSERT_THAT(page_.views, SizeIs(3));
  const PageView& db = page_.views[1];
  EXPECT_EQ(db.title, "After");
  EXPECT_EQ(db.caption,
            "Closed and open are for the pending pod of Deployment/db in "
            "namespace default.");
  const PageView& web = page_.views[2];
  EXPECT_EQ(web.title, "After, for Deployment/web in namespace default");
  EXPECT_THAT(web.caption, HasSubstr("for the pending 2 pods of"));
  EXPECT_EQ(NodeOf(web, "w1").fits, false);
  EXPECT_TRUE(NodeOf(web, "w1").pods[0].blocking);
  EXPECT_FALSE(NodeOf(db, "w1").pods[0].blocking);
  ASSERT_THAT(NodeOf(web, "w1").causes, SizeIs(1));
  EXPECT_THAT(web.causes[NodeOf(web, "w1").causes[0]],
              HasSubstr("(spec.template.spec.affinity.podAntiAffinity"));
  ASSERT_THAT(web.pending, SizeIs(3));
  EXPECT_THAT(web.pending[0].reason, HasSubstr("0/3 nodes are available"));
  EXPECT_THAT(page_.workloads, Contains("default/web").Times(1));
  EXPECT_THAT(page_.hints, Contains(HasSubstr("Deployment/db in namespace "
                                              "default: ")));
}

TEST_F(SimulationPageTest, ExplainsFourWorkloadsAndCountsTheOthers) {
  page_ = StartSimulationPage(simulation_.simulated());
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    simulation_.Apply(
        WorkloadYaml("Deployment", name, 1, "nodeSelector: {disk: ssd}"));
  }
  Finish();
  EXPECT_THAT(page_.views, SizeIs(5));
  EXPECT_THAT(page_.notes, Contains("2 more workloads have pending pods"));
}

}  // namespace
}  // namespace vicinal
