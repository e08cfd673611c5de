#include "server/commands/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/engine/default_profile.h"
#include "core/explain/explain.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: n1
    labels: {topology.kubernetes.io/region: r, topology.kubernetes.io/zone: z}
  spec: {unschedulable: true, taints: [{key: t, effect: NoSchedule}]}
- {apiVersion: v1, kind: Node, metadata: {name: n2}}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata:
    name: web-abc
    namespace: shop
    ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-abc-1
    namespace: shop
    uid: u
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-abc, controller: true}]
  spec: {nodeName: n1}
- {apiVersion: v1, kind: Pod, metadata: {name: alone, namespace: shop, uid: v}, spec: {nodeName: n1}}
)";

// The data that the page draws.
nlohmann::json DataOf(const std::string& html) {
  const std::string begin = "id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return nlohmann::json::parse(
      html.substr(from, html.find("</script>", from) - from));
}

TEST(PageTest, PutsNodesAndPodsWhereTheyAre) {
  ClusterState cluster;
  AddObjects(cluster, kCluster);
  Page page;
  page.views.push_back(ViewOf(cluster, page));
  const PageView& view = page.views[0];
  ASSERT_EQ(view.nodes.size(), 2u);
  EXPECT_EQ(view.nodes[0].region, "r");
  EXPECT_EQ(view.nodes[0].zone, "z");
  EXPECT_THAT(view.nodes[0].notes,
              ElementsAre("cordoned", "taint t:NoSchedule"));
  ASSERT_EQ(view.nodes[0].pods.size(), 2u);
  EXPECT_EQ(view.nodes[0].pods[0].name, "shop/alone");
  EXPECT_EQ(page.workloads.at(view.nodes[0].pods[0].workload), "shop/alone");
  // A Deployment's, not its ReplicaSet's.
  EXPECT_EQ(page.workloads.at(view.nodes[0].pods[1].workload), "shop/web");
  EXPECT_EQ(view.nodes[1].zone, "");
}

TEST(PageTest, MarksWhatAnExplanationSays) {
  ClusterState cluster;
  AddObjects(cluster, kCluster);
  const PluginConfig config;
  const PodInfo pod = MakePod("{metadata: {name: p, namespace: shop}}");
  const Explanation explanation =
      Explain(cluster, DefaultProfile(config), config, pod, "spec.template.");
  Page page;
  page.views.push_back(ViewOf(cluster, page));
  AddExplanation(explanation, page.views[0]);
  const PageNode& closed = page.views[0].nodes[0];
  EXPECT_EQ(closed.fits, false);
  ASSERT_FALSE(closed.causes.empty());
  EXPECT_THAT(page.views[0].causes.at(closed.causes[0]), HasSubstr("cordoned"));
  EXPECT_THAT(page.views[0].causes.at(closed.causes[1]),
              HasSubstr("(spec.template.spec.tolerations)"));
  const std::vector<PageReason>& reasons = page.views[0].reasons;
  ASSERT_EQ(reasons.size(), explanation.groups.size());
  EXPECT_EQ(reasons[0].title, "NodeResourcesFit, Too many pods");
  EXPECT_EQ(reasons[0].nodes, 2u);
  EXPECT_FALSE(reasons[0].causes.empty());
}

TEST(PageTest, MarksWhatIsInOneOfTwoViews) {
  ClusterState cluster;
  AddObjects(cluster, kCluster);
  Page page;
  page.views.push_back(ViewOf(cluster, page));
  cluster.Remove<Pod>({"shop", "alone"});
  cluster.Remove<Node>({"", "n2"});
  AddNode(cluster, "n3");
  AddPod(cluster, "n3", "{metadata: {name: other, namespace: shop}}");
  page.views.push_back(ViewOf(cluster, page));
  PageView& before = page.views[0];
  PageView& after = page.views[1];
  MarkChanges(before, after);
  EXPECT_TRUE(before.nodes[0].pods[0].is_leaving);
  EXPECT_FALSE(before.nodes[0].pods[1].is_leaving);
  EXPECT_THAT(before.nodes[1].notes, ElementsAre("is removed"));
  EXPECT_FALSE(after.nodes[0].pods[0].is_new);
  EXPECT_THAT(after.nodes[1].notes, ElementsAre("is new"));
  EXPECT_TRUE(after.nodes[1].pods[0].is_new);
  const nlohmann::json data = DataOf(RenderPage(page));
  EXPECT_EQ(data["views"][0]["nodes"][0]["pods"][0]["leaving"], true);
  EXPECT_EQ(data["views"][1]["nodes"][1]["pods"][0]["new"], true);
}

TEST(PageTest, PodsAreDrawnInBothViewsOrInNone) {
  PageNode node;
  node.name = "n1";
  node.pod_count = 1;
  node.pods.push_back({0, "a/p"});
  PageView before;
  before.nodes.push_back(node);
  node.pod_count = kMaxDrawnPods + 1;
  node.pods.clear();
  PageView after;
  after.nodes.push_back(node);
  MarkChanges(before, after);
  EXPECT_TRUE(before.nodes[0].pods.empty());
}

TEST(PageTest, IsNotLedAstrayByNames) {
  Page page;
  page.title = "</script><script>alert(1)</script> <!-- @DATA@ \" \\";
  const std::string html = RenderPage(page);
  EXPECT_EQ(html.find("</script><script>alert"), std::string::npos);
  EXPECT_EQ(DataOf(html)["title"], page.title);
}

TEST(PageTest, LoadsNothing) {
  const std::string html = RenderPage(Page());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* loads :
       {"http://", "https://", " src=", "@import", "url("}) {
    EXPECT_EQ(html.find(loads), std::string::npos) << loads;
  }
}

TEST(PageTest, CountsPodsThatAreTooManyToDraw) {
  ClusterState cluster;
  AddNode(cluster, "n1");
  for (std::size_t i = 0; i <= kMaxDrawnPods; ++i) {
    AddPod(cluster, "n1",
           "{metadata: {name: p" + std::to_string(i) + ", namespace: a}}");
  }
  Page page;
  page.views.push_back(ViewOf(cluster, page));
  EXPECT_TRUE(page.views[0].nodes[0].pods.empty());
  EXPECT_EQ(DataOf(RenderPage(page))["views"][0]["nodes"][0]["podCount"],
            kMaxDrawnPods + 1);
}

}  // namespace
}  // namespace vicinal
