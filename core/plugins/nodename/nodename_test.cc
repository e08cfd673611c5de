#include "core/plugins/nodename/nodename.h"

#include <string>
#include <vector>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

NodeInfo Named(const char* name) {
  NodeInfo node;
  node.name = name;
  node.node.emplace().meta.name = name;
  return node;
}

TEST(NodeNameTest, APodWithoutNodeNameMayGoAnywhere) {
  const ClusterState cluster;
  const PodInfo pod(Parsed<Pod>("{}"));
  const PreFilterResult result = NodeName().PreFilter(cluster, pod);
  EXPECT_TRUE(result.status.ok());
  EXPECT_FALSE(result.node_names.has_value());
  EXPECT_TRUE(result.filter->Filter(Named("n1")).ok());
}

TEST(NodeNameTest, APodWithNodeNameMayGoThereOnly) {
  const ClusterState cluster;
  const PodInfo pod(Parsed<Pod>(R"({"spec":{"nodeName":"n1"}})"));
  const PreFilterResult result = NodeName().PreFilter(cluster, pod);
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.node_names, std::vector<std::string>{"n1"});
  EXPECT_TRUE(result.filter->Filter(Named("n1")).ok());
  const Status status = result.filter->Filter(Named("n2"));
  EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(), "node(s) didn't match the requested node name");
}

}  // namespace
}  // namespace vicinal
