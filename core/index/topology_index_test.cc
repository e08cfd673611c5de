#include "core/index/topology_index.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/index/pod_info.h"
#include "core/index/pod_query.h"
#include "core/model/labels.h"

namespace vicinal {
namespace {

PodInfo PodOfApp(const std::string& app) {
  Pod pod;
  pod.meta.namespace_name = "ns";
  pod.meta.labels = Labels{{"app", app}};
  return PodInfo(std::move(pod));
}

PodQuery QueryOfApp(const std::string& app) {
  PodQuery query;
  query.conditions.push_back(
      {false, {"ns"}, Selector::FromSet(Labels{{"app", app}})});
  return query;
}

TEST(TopologyIndexTest, CountsStayRightWhenOldCountersAreEvicted) {
  const Labels node_labels;
  TopologyIndex index;
  index.AddNode(0, node_labels);
  index.AddPod(PodOfApp("old"), 0);
  index.AddPod(PodOfApp("new"), 0);

  EXPECT_EQ(index.Count(QueryOfApp("old")).Get(0), 1);
  for (int i = 0; i < 10'000; ++i) {
    index.Count(QueryOfApp("other" + std::to_string(i)));
  }
  EXPECT_EQ(index.Count(QueryOfApp("new")).Get(0), 1);

  // Too many counters: this change evicts the oldest half of them.
  PodGroup* const old_group = index.AddPod(PodOfApp("old"), 0);
  PodGroup* const new_group = index.AddPod(PodOfApp("new"), 0);
  EXPECT_EQ(index.Count(QueryOfApp("old")).Get(0), 2);
  EXPECT_EQ(index.Count(QueryOfApp("new")).Get(0), 2);
  index.RemovePod(old_group, 0);
  index.RemovePod(new_group, 0);
  EXPECT_EQ(index.Count(QueryOfApp("old")).Get(0), 1);
  EXPECT_EQ(index.Count(QueryOfApp("new")).Get(0), 1);
}

TEST(TopologyIndexTest, KeepsNothingWhenTheLastPodAndNodeHaveGone) {
  const Labels node_labels{{"zone", "a"}};
  TopologyIndex index;
  index.AddNode(0, node_labels);
  PodGroup* const group = index.AddPod(PodOfApp("a"), 0);
  index.Count(QueryOfApp("a"));
  index.Domains("zone");
  EXPECT_FALSE(index.IsEmpty());

  index.RemovePod(group, 0);
  index.RemoveNode(0);
  EXPECT_TRUE(index.IsEmpty());
}

}  // namespace
}  // namespace vicinal
