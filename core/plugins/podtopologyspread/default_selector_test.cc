#include "core/plugins/podtopologyspread/default_selector.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/index/cluster_state.h"
#include "core/model/labels.h"
#include "core/model/pod.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

// A pod of app web, controlled by an object named "owner" unless the text is
// empty.
Pod Owned(std::string_view api_version = "", std::string_view kind = "",
          std::string_view controller = "true") {
  std::string yaml = "{metadata: {labels: {app: web, tier: front}";
  if (!kind.empty()) {
    yaml.append(", ownerReferences: [{apiVersion: ").append(api_version);
    yaml.append(", kind: ").append(kind);
    yaml.append(", name: owner, controller: ").append(controller).append("}]");
  }
  return ParsePod(yaml + "}}");
}

constexpr char kService[] = R"(
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {selector: {app: web}}
)";

// An object named "owner" that selects the tier front.
std::string Owner(std::string_view api_version, std::string_view kind,
                  std::string_view selector = "{matchLabels: {tier: front}}") {
  std::string yaml = "apiVersion: ";
  yaml.append(api_version).append("\nkind: ").append(kind);
  yaml.append("\nmetadata: {name: owner}\nspec: {selector: ");
  return yaml.append(selector).append("}\n");
}

const Labels kApp = {{"app", "web"}};
const Labels kTier = {{"tier", "front"}};
const Labels kBoth = {{"app", "web"}, {"tier", "front"}};

TEST(DefaultSelectorTest, IsEmptyForAPodThatNothingManages) {
  const ClusterState cluster;
  EXPECT_TRUE(DefaultSelector(cluster, Owned()).Empty());
}

TEST(DefaultSelectorTest, IsThatOfAServiceThatSelectsThePod) {
  ClusterState cluster;
  AddObjects(cluster, kService);
  const Selector selector = DefaultSelector(cluster, Owned());
  EXPECT_TRUE(selector.Matches(kApp));
  EXPECT_FALSE(selector.Matches(kTier));
}

TEST(DefaultSelectorTest, ServicesThatDoNotSelectThePodDoNotCount) {
  ClusterState cluster;
  AddObjects(cluster, R"(---
{apiVersion: v1, kind: Service, metadata: {name: s},
 spec: {selector: {app: db}}}
---
{apiVersion: v1, kind: Service, metadata: {name: t, namespace: other},
 spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: Service, metadata: {name: u, namespace: default0},
 spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: Service, metadata: {name: v}, spec: {}}
)");
  EXPECT_TRUE(DefaultSelector(cluster, Owned()).Empty());
}

TEST(DefaultSelectorTest, TheSelectorsOfSeveralServicesAreMerged) {
  ClusterState cluster;
  AddObjects(cluster, kService);
  AddObjects(cluster,
             "apiVersion: v1\nkind: Service\nmetadata: {name: t}\n"
             "spec: {selector: {tier: front}}");
  const Selector selector = DefaultSelector(cluster, Owned());
  EXPECT_TRUE(selector.Matches(kBoth));
  EXPECT_FALSE(selector.Matches(kApp));
  EXPECT_FALSE(selector.Matches(kTier));
}

TEST(DefaultSelectorTest, AServiceWithAnEmptySelectorAddsNothing) {
  ClusterState cluster;
  AddObjects(cluster,
             "apiVersion: v1\nkind: Service\nmetadata: {name: t}\n"
             "spec: {selector: {}}");
  EXPECT_TRUE(DefaultSelector(cluster, Owned()).Empty());
}

TEST(DefaultSelectorTest, TheSelectorOfTheControllerIsAdded) {
  const struct {
    const char* api_version;
    const char* kind;
    const char* selector;
  } kControllers[] = {
      {"v1", "ReplicationController", "{tier: front}"},
      {"apps/v1", "ReplicaSet", "{matchLabels: {tier: front}}"},
      {"apps/v1", "StatefulSet", "{matchLabels: {tier: front}}"},
  };
  for (const auto& [api_version, kind, selector] : kControllers) {
    ClusterState cluster;
    const Pod pod = Owned(api_version, kind);
    EXPECT_TRUE(DefaultSelector(cluster, pod).Empty()) << kind;
    AddObjects(cluster, Owner(api_version, kind, selector));
    const Selector alone = DefaultSelector(cluster, pod);
    EXPECT_TRUE(alone.Matches(kTier)) << kind;
    EXPECT_FALSE(alone.Matches(kApp)) << kind;
    AddObjects(cluster, kService);
    const Selector both = DefaultSelector(cluster, pod);
    EXPECT_TRUE(both.Matches(kBoth)) << kind;
    EXPECT_FALSE(both.Matches(kTier)) << kind;
    EXPECT_FALSE(both.Matches(kApp)) << kind;
  }
}

TEST(DefaultSelectorTest, ExpressionsOfTheControllersSelectorCount) {
  ClusterState cluster;
  AddObjects(cluster, Owner("apps/v1", "ReplicaSet",
                            "{matchExpressions: [{key: tier, operator: NotIn, "
                            "values: [back]}]}"));
  const Selector selector =
      DefaultSelector(cluster, Owned("apps/v1", "ReplicaSet"));
  EXPECT_TRUE(selector.Matches(kTier));
  EXPECT_FALSE(selector.Matches({{"tier", "back"}}));
}

TEST(DefaultSelectorTest, OwnersThatDoNotControlOrAreOfOtherKindsDoNotCount) {
  ClusterState cluster;
  AddObjects(cluster, Owner("apps/v1", "ReplicaSet"));
  EXPECT_FALSE(
      DefaultSelector(cluster, Owned("apps/v1", "ReplicaSet")).Empty());
  EXPECT_TRUE(DefaultSelector(cluster, Owned("apps/v1", "ReplicaSet", "false"))
                  .Empty());
  for (const auto& [api_version, kind] :
       {std::pair("apps/v1beta2", "ReplicaSet"), std::pair("v1", "ReplicaSet"),
        std::pair("apps/v1", "Deployment"), std::pair("batch/v1", "Job"),
        std::pair("apps/v1", "ReplicationController")}) {
    EXPECT_TRUE(DefaultSelector(cluster, Owned(api_version, kind)).Empty())
        << api_version << kind;
  }
}

TEST(DefaultSelectorTest, AControllerInAnotherNamespaceDoesNotCount) {
  ClusterState cluster;
  AddObjects(cluster,
             "apiVersion: apps/v1\nkind: ReplicaSet\n"
             "metadata: {name: owner, namespace: other}\n"
             "spec: {selector: {matchLabels: {tier: front}}}");
  EXPECT_TRUE(DefaultSelector(cluster, Owned("apps/v1", "ReplicaSet")).Empty());
}

TEST(DefaultSelectorTest, AControllersSelectorThatDoesNotParseDoesNotCount) {
  ClusterState cluster;
  AddObjects(cluster, Owner("apps/v1", "ReplicaSet",
                            "{matchLabels: {tier: front}, matchExpressions: "
                            "[{key: tier, operator: Gt}]}"));
  EXPECT_TRUE(DefaultSelector(cluster, Owned("apps/v1", "ReplicaSet")).Empty());
}

TEST(DefaultSelectorTest, AControllerWithoutSelectorAddsNothing) {
  ClusterState cluster;
  AddObjects(cluster, Owner("apps/v1", "StatefulSet", "null"));
  AddObjects(cluster, kService);
  const Selector selector =
      DefaultSelector(cluster, Owned("apps/v1", "StatefulSet"));
  EXPECT_TRUE(selector.Matches(kApp));
}

}  // namespace
}  // namespace vicinal
