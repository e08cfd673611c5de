#include "core/plugins/nodeunschedulable/nodeunschedulable.h"

#include <string>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

Status Filter(const std::string& tolerations, bool unschedulable) {
  const ClusterState cluster;
  const PodInfo pod(
      Parsed<Pod>(R"({"spec":{"tolerations":[)" + tolerations + "]}}"));
  NodeInfo node;
  node.node.emplace().unschedulable = unschedulable;
  const PreFilterResult result = NodeUnschedulable().PreFilter(cluster, pod);
  EXPECT_TRUE(result.status.ok());
  EXPECT_FALSE(result.node_names.has_value());
  return result.filter->Filter(node);
}

TEST(NodeUnschedulableTest, CordonedNodesAreRefused) {
  EXPECT_TRUE(Filter("", false).ok());
  const Status status = Filter("", true);
  EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(), "node(s) were unschedulable");
}

TEST(NodeUnschedulableTest, TheTaintOfCordonedNodesMayBeTolerated) {
  EXPECT_TRUE(Filter(R"({"key":"node.kubernetes.io/unschedulable",)"
                     R"("operator":"Exists","effect":"NoSchedule"})",
                     true)
                  .ok());
  EXPECT_TRUE(
      Filter(R"({"key":"node.kubernetes.io/unschedulable"})", true).ok());
  EXPECT_FALSE(Filter(R"({"key":"node.kubernetes.io/unschedulable",)"
                      R"("operator":"Exists","effect":"NoExecute"})",
                      true)
                   .ok());
  EXPECT_FALSE(
      Filter(R"({"key":"node.kubernetes.io/unschedulable","value":"true"})",
             true)
          .ok());
}

}  // namespace
}  // namespace vicinal
