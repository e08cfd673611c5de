#include "core/explain/describe.h"

#include <gtest/gtest.h>

#include <string>

#include "core/testing/objects.h"

namespace vicinal {
namespace {

// How the first required anti-affinity term of a pod in the namespace shop
// tells of its pods.
std::string PodsOf(const std::string& term) {
  const PodInfo pod = MakePod(
      "{metadata: {namespace: shop}, spec: {affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k, " +
      term + "}]}}}}");
  return DescribePods(pod.required_anti_affinity_terms.at(0));
}

TEST(DescribeTest, WritesPodsAsKubectlSelectsThem) {
  EXPECT_EQ(PodsOf("labelSelector: {matchLabels: {app: web, tier: x}}"),
            "pods app=web,tier=x in namespace shop");
  EXPECT_EQ(PodsOf("labelSelector: {matchExpressions: ["
                   "{key: a, operator: In, values: [b, c]}, "
                   "{key: d, operator: NotIn, values: [e]}, "
                   "{key: f, operator: Exists}, "
                   "{key: g, operator: DoesNotExist}]}"),
            "pods a in (b,c),d!=e,f,!g in namespace shop");
  EXPECT_EQ(PodsOf("labelSelector: {}"), "any pods in namespace shop");
  EXPECT_EQ(PodsOf("namespaces: [a]"),
            "pods of no labelSelector (none) in namespace a");
  EXPECT_EQ(PodsOf("labelSelector: {matchLabels: {app: web}}, namespaces: [a], "
                   "namespaceSelector: {matchLabels: {env: prod}}"),
            "pods app=web in namespace a and namespaces with env=prod");
  EXPECT_EQ(PodsOf("labelSelector: {matchLabels: {app: web}}, "
                   "namespaceSelector: {}"),
            "pods app=web in any namespace");
}

TEST(DescribeTest, WritesAmountsInTheirUnits) {
  EXPECT_EQ(DescribeAmount("cpu", 1500), "1500m");
  EXPECT_EQ(DescribeAmount("cpu", 2000), "2");
  EXPECT_EQ(DescribeAmount("cpu", 0), "0");
  EXPECT_EQ(DescribeAmount("memory", 128 << 20), "128Mi");
  EXPECT_EQ(DescribeAmount("memory", std::int64_t{3} << 30), "3Gi");
  EXPECT_EQ(DescribeAmount("memory", 1000), "1000");
  EXPECT_EQ(DescribeAmount("memory", 100'000'000), "~95Mi");
  EXPECT_EQ(DescribeAmount("memory", 0), "0");
  EXPECT_EQ(DescribeAmount("nvidia.com/gpu", 4), "4");
}

TEST(DescribeTest, ListsOnlySoMany) {
  EXPECT_EQ(Listed({}, 2), "");
  EXPECT_EQ(Listed({"a", "b"}, 2), "a, b");
  EXPECT_EQ(Listed({"a", "b", "c", "d"}, 2), "a, b and 2 more");
  EXPECT_EQ(Counted(1, "node"), "1 node");
  EXPECT_EQ(Counted(2, "node"), "2 nodes");
}

TEST(DescribeTest, WritesTaintsAndRequirements) {
  EXPECT_EQ(Describe(Taint{"a", "b", "NoSchedule"}), "a=b:NoSchedule");
  EXPECT_EQ(Describe(Taint{"a", "", "NoExecute"}), "a:NoExecute");
  EXPECT_EQ(Describe(NodeSelectorRequirement{"disk", "In", {"ssd", "nvme"}}),
            "disk In [ssd, nvme]");
  EXPECT_EQ(Describe(NodeSelectorRequirement{"gpu", "Exists", {}}),
            "gpu Exists");
}

}  // namespace
}  // namespace vicinal
