#include "core/index/image_states.h"

#include "core/index/cluster_state.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

Node NodeWith(std::vector<ContainerImage> images) {
  Node node;
  node.images = std::move(images);
  return node;
}

TEST(ImageStatesTest, CountsTheNodesOfEachName) {
  ImageStates states;
  const NodeInfo a, b;
  states.Add(&a, NodeWith({{{"x:1", "x@sha256:0"}, 10}, {{"y:1"}, 20}}));
  states.Add(&b, NodeWith({{{"x:1"}, 10}}));
  ASSERT_NE(states.Find("x:1"), nullptr);
  EXPECT_EQ(states.Find("x:1")->nodes.size(), 2u);
  EXPECT_EQ(states.Find("x@sha256:0")->nodes.size(), 1u);
  EXPECT_TRUE(states.Find("y:1")->nodes.contains(&a));
  EXPECT_FALSE(states.Find("y:1")->nodes.contains(&b));
  EXPECT_EQ(states.Find("z:1"), nullptr);
}

TEST(ImageStatesTest, TheFirstNodeThatHasTheImageTellsItsSize) {
  ImageStates states;
  const NodeInfo a, b, c;
  const Node big = NodeWith({{{"x:1"}, 99}, {{"x:1"}, 7}});
  states.Add(&a, big);
  states.Add(&b, NodeWith({{{"x:1"}, 10}}));
  EXPECT_EQ(states.Find("x:1")->size_bytes, 99);
  states.Remove(&a, big);
  EXPECT_EQ(states.Find("x:1")->size_bytes, 99);
  EXPECT_EQ(states.Find("x:1")->nodes.size(), 1u);
  states.Remove(&b, NodeWith({{{"x:1"}, 10}}));
  EXPECT_EQ(states.Find("x:1"), nullptr);
  states.Add(&c, NodeWith({{{"x:1"}, 5}}));
  EXPECT_EQ(states.Find("x:1")->size_bytes, 5);
}

TEST(ImageStatesTest, ACopyTakesTheSizes) {
  const NodeInfo a, b;
  const Node small = NodeWith({{{"x:1"}, 5}});
  const Node big = NodeWith({{{"x:1", "y:1"}, 99}});
  ImageStates states;
  states.Add(&a, small);
  states.Add(&b, NodeWith({{{"x:1"}, 99}}));
  ImageStates copy;
  copy.Add(&b, big);
  copy.Add(&a, small);
  copy.TakeSizes(states);
  EXPECT_EQ(copy.Find("x:1")->size_bytes, 5);
  EXPECT_EQ(copy.Find("y:1")->size_bytes, 99);
  EXPECT_EQ(states.Find("y:1"), nullptr);
}

TEST(ImageStatesTest, FollowsTheNodesOfTheCluster) {
  ClusterState cluster;
  Node node = NodeWith({{{"x:1"}, 10}});
  node.meta.name = "a";
  cluster.Upsert(node);
  ASSERT_NE(cluster.images().Find("x:1"), nullptr);
  EXPECT_TRUE(
      cluster.images().Find("x:1")->nodes.contains(cluster.FindNode("a")));
  node.images = {{{"y:1"}, 10}};
  cluster.Upsert(node);
  EXPECT_EQ(cluster.images().Find("x:1"), nullptr);
  EXPECT_NE(cluster.images().Find("y:1"), nullptr);
  cluster.Remove<Node>({"", "a"});
  EXPECT_EQ(cluster.images().Find("y:1"), nullptr);
}

}  // namespace
}  // namespace vicinal
