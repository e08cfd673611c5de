#include "server/commands/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
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

TEST(PageTest, OfTooManyPodsOnlyThoseThatChangeAreDrawn) {
  PageNode node;
  node.name = "n1";
  for (std::size_t i = 0; i <= kMaxDrawnPods; ++i) {
    node.pods.push_back({0, absl::StrCat("a/p", i)});
  }
  node.pod_count = node.pods.size();
  Page page;
  page.workloads = {"a/web"};
  page.views.resize(2);
  page.views[0].nodes.push_back(node);
  node.pods.front().name = "a/another";
  page.views[1].nodes.push_back(node);
  MarkChanges(page.views[0], page.views[1]);
  const nlohmann::json data = DataOf(RenderPage(page));
  const nlohmann::json& before = data["views"][0]["nodes"][0];
  ASSERT_EQ(before["pods"].size(), 1u);
  EXPECT_EQ(before["pods"][0]["name"], "a/p0");
  EXPECT_EQ(before["leavingPods"], 1);
  EXPECT_EQ(before["podCount"], kMaxDrawnPods + 1);
  const nlohmann::json& after = data["views"][1]["nodes"][0];
  ASSERT_EQ(after["pods"].size(), 1u);
  EXPECT_EQ(after["pods"][0]["name"], "a/another");
  EXPECT_EQ(after["newPods"], 1);
}

TEST(PageTest, OfMorePodsThatChangeSomeAreDrawnAndAllAreCounted) {
  Page page;
  page.workloads = {"a/web"};
  PageView& view = page.views.emplace_back();
  for (std::size_t n = 0; n < 3; ++n) {
    PageNode& node = view.nodes.emplace_back();
    for (std::size_t i = 0; i < kMaxDrawnPods / 2; ++i) {
      node.pods.push_back({0, absl::StrCat("a/p", i), false, true});
    }
    node.pod_count = node.pods.size();
  }
  const nlohmann::json data = DataOf(RenderPage(page));
  std::size_t drawn = 0;
  for (const nlohmann::json& node : data["views"][0]["nodes"]) {
    if (node.contains("pods")) drawn += node["pods"].size();
    EXPECT_EQ(node["newPods"], kMaxDrawnPods / 2);
  }
  EXPECT_EQ(drawn, kMaxDrawnPods);
}

TEST(PageTest, APendingPodsReasonIsWrittenOnce) {
  Page page;
  page.workloads = {"a/web"};
  PageView& view = page.views.emplace_back();
  view.pending = {{{0, "a/1"}, "no room"}, {{0, "a/2"}, "no room"}};
  const nlohmann::json data = DataOf(RenderPage(page))["views"][0];
  EXPECT_EQ(data["pendingReasons"], nlohmann::json({"no room"}));
  EXPECT_EQ(data["pending"][1]["reason"], 0);
}

TEST(PageTest, ComparesFirstWhatIsBrokenOrHasChangedMost) {
  Page page;
  for (std::size_t i = 0; i < kMaxComparisons + 7; ++i) {
    SpreadReport& spread = page.spreads.emplace_back();
    spread.workload = absl::StrCat("Deployment/", i);
    spread.skew_after = i == 50 ? 9 : 1;
  }
  SpreadReport& broken = page.spreads[80];
  broken.rule = SpreadRule{"spec", true, 1, 1};
  broken.domains["a"] = {0, 3, true, true};
  const nlohmann::json data = DataOf(RenderPage(page));
  EXPECT_EQ(data["spreadsLeftOut"], 7);
  ASSERT_EQ(data["spreads"].size(), kMaxComparisons);
  EXPECT_EQ(data["spreads"][0]["workload"], "Deployment/80");
  EXPECT_EQ(data["spreads"][1]["workload"], "Deployment/50");
  EXPECT_EQ(data["spreads"][2]["workload"], "Deployment/0");
}

TEST(PageTest, HasOfMostCausesOnlyTheirNumbers) {
  Page page;
  PageView& view = page.views.emplace_back();
  view.causes.assign(kMaxCauses + 1, "a cause");
  view.nodes.emplace_back().causes = {kMaxCauses};
  const nlohmann::json data = DataOf(RenderPage(page))["views"][0];
  EXPECT_EQ(data["causes"].size(), kMaxCauses);
  EXPECT_EQ(data["nodes"][0]["causes"][0], kMaxCauses);
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

}  // namespace
}  // namespace vicinal
