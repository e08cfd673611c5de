#include "core/index/topology_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/index/pod_group.h"
#include "core/index/pod_query.h"
#include "core/model/labels.h"
#include "core/model/node.h"

namespace vicinal {
namespace {

// Pods of the namespace "ns" with the label app, on node 0.
class TopologyIndexTest : public testing::Test {
 protected:
  TopologyIndexTest() {
    node_.meta.labels = Labels{{"zone", "a"}};
    index_.AddNode(0, &node_);
  }

  PodGroup* Add(const std::string& app) {
    PodGroup* const group =
        index_.AddPod({"ns", Labels{{"app", app}}, {}, false});
    index_.Place(*group, 0);
    return group;
  }

  void Remove(PodGroup* group) {
    index_.Unplace(*group, 0);
    index_.RemovePod(group);
  }

  static PodQuery QueryOfApp(const std::string& app) {
    PodQuery query;
    query.conditions.push_back(
        {false, {"ns"}, Selector::FromSet(Labels{{"app", app}})});
    return query;
  }

  int Count(const std::string& app) const {
    return index_.Count(QueryOfApp(app)).by_node().Get(0);
  }

  Node node_;
  TopologyIndex index_;
};

TEST_F(TopologyIndexTest, CountsStayRightWhenOldCountersAreEvicted) {
  Add("old");
  Add("new");
  EXPECT_EQ(Count("old"), 1);
  for (int i = 0; i < 10'000; ++i) Count("other" + std::to_string(i));
  EXPECT_EQ(Count("new"), 1);
  EXPECT_GT(index_.size().counters, 10'000u);

  // Too many counters: this change evicts the oldest half of them.
  PodGroup* const old_group = Add("old");
  PodGroup* const new_group = Add("new");
  EXPECT_LT(index_.size().counters, 10'000u);
  EXPECT_EQ(Count("old"), 2);
  EXPECT_EQ(Count("new"), 2);
  Remove(old_group);
  Remove(new_group);
  EXPECT_EQ(Count("old"), 1);
  EXPECT_EQ(Count("new"), 1);
}

TEST_F(TopologyIndexTest, GroupsOfManyLabelsAreCountedByEachOfThem) {
  constexpr int kLabels = 2000;
  const auto key = [](int i) { return "k" + std::to_string(i); };
  const auto add = [&](const std::string& last) {
    Labels labels;
    for (int i = 0; i < kLabels; ++i) labels.Set(key(i), "v");
    labels.Set(key(kLabels), last);
    PodGroup* const group = index_.AddPod({"ns", labels, {}, false});
    index_.Place(*group, 0);
    return group;
  };
  const auto count = [&](const std::string& label, const std::string& value) {
    PodQuery query;
    query.conditions.push_back(
        {false, {"ns"}, Selector::FromSet(Labels{{label, value}})});
    query.conditions.push_back(
        {false, {"ns"}, Selector::FromSet(Labels{{key(7), "v"}})});
    return index_.Count(query).by_node().Get(0);
  };
  PodGroup* const first = add("first");
  PodGroup* const second = add("second");
  PodGroup* const third = add("third");
  EXPECT_EQ(*second->FindLabel(key(kLabels)), "second");
  EXPECT_EQ(second->FindLabel("k"), nullptr);
  EXPECT_EQ(second->FindLabel("k77x"), nullptr);
  EXPECT_EQ(second->FindLabel("z"), nullptr);
  // A counter that was there before the group, and one that came after.
  for (int i = 0; i < kLabels; i += 100) EXPECT_EQ(count(key(i), "v"), 3) << i;
  Remove(first);  // The last group takes its place at each label.
  for (int i = 0; i < kLabels; i += 50) EXPECT_EQ(count(key(i), "v"), 2) << i;
  Remove(third);
  for (int i = 0; i < kLabels; i += 25) EXPECT_EQ(count(key(i), "v"), 1) << i;
  EXPECT_EQ(count(key(kLabels), "second"), 1);
  Remove(second);
  EXPECT_EQ(index_.size().labels, 0u);
}

TEST_F(TopologyIndexTest, CountsByDomainFollowPodsAndRelabelledNodes) {
  Node other;
  other.meta.labels = Labels{{"zone", "a"}};
  index_.AddNode(1, &other);
  PodGroup* const group = Add("web");
  index_.Place(*group, 1);
  const auto in_zone = [this](const std::string& zone) {
    const TopologyDomains& zones = index_.Domains("zone");
    return index_.ByDomain(index_.Count(QueryOfApp("web")), zones)
        .Of(zones.Find(zone));
  };
  EXPECT_EQ(in_zone("a"), 2);

  index_.Unplace(*group, 1);
  EXPECT_EQ(in_zone("a"), 1);
  other.meta.labels = Labels{{"zone", "b"}};
  index_.UpdateNode(1);
  index_.Place(*group, 1);
  EXPECT_EQ(in_zone("a"), 1);
  EXPECT_EQ(in_zone("b"), 1);
}

TEST_F(TopologyIndexTest, AKeyThatNoNodeHasTakesNoRoomUntilOneHasIt) {
  EXPECT_EQ(index_.Domains("rack").size(), 0u);
  EXPECT_EQ(index_.size().topology_keys, 0u);
  node_.meta.labels = Labels{{"zone", "a"}, {"rack", "r1"}};
  index_.UpdateNode(0);
  EXPECT_NE(index_.Domains("rack").Of(0), kNoDomain);
  EXPECT_EQ(index_.size().topology_keys, 1u);
}

TEST_F(TopologyIndexTest, TermsAreLookedAtWhileAPodThatCarriesThemIsPlaced) {
  AffinityTerm term;
  term.namespaces = {""};
  term.selector = Selector::Everything();
  CarriedTerm* const carried =
      index_.Carry(CarriedTerm::Kind::kRequiredAntiAffinity, term, 0);
  // The pod has two of them, and terms of which there is one are the same.
  const std::vector<CarriedTerm*> terms = {carried, carried};
  const Labels labels;
  PodGroup* const group = index_.AddPod({"", labels, terms, false});
  const auto visited = [this] {
    int visits = 0;
    index_.ForEachAntiAffinityAbout(
        Pod(), Labels(), [&visits](const CarriedTerm&) { ++visits; });
    return visits;
  };
  EXPECT_EQ(visited(), 0);
  index_.Place(*group, 0);
  index_.Place(*group, 0);
  EXPECT_EQ(visited(), 1);
  index_.Unplace(*group, 0);
  EXPECT_EQ(visited(), 1);
  index_.Unplace(*group, 0);
  EXPECT_EQ(visited(), 0);
  index_.RemovePod(group);
  index_.Drop(carried);
  EXPECT_EQ(index_.size().terms, 0u);
}

TEST_F(TopologyIndexTest, FiltersAndScoresLookAtTheirOwnTerms) {
  AffinityTerm term;
  term.namespaces = {"ns"};
  term.selector = Selector::Everything();
  using Kind = CarriedTerm::Kind;
  std::vector<CarriedTerm*> terms;
  for (const Kind kind : {Kind::kRequiredAffinity, Kind::kRequiredAntiAffinity,
                          Kind::kPreferred}) {
    terms.push_back(index_.Carry(kind, term, 1));
  }
  PodGroup* const group = index_.AddPod({"ns", Labels(), terms, false});
  index_.Place(*group, 0);
  Pod pod;
  pod.meta.namespace_name = "ns";
  std::vector<Kind> kinds;
  const auto visit = [&kinds](const CarriedTerm& carried) {
    kinds.push_back(carried.kind);
  };
  index_.ForEachAntiAffinityAbout(pod, Labels(), visit);
  EXPECT_EQ(kinds, std::vector{Kind::kRequiredAntiAffinity});
  kinds.clear();
  index_.ForEachOtherTermAbout(pod, Labels(), visit);
  EXPECT_EQ(kinds, (std::vector{Kind::kRequiredAffinity, Kind::kPreferred}));
  Remove(group);
  for (CarriedTerm* carried : terms) index_.Drop(carried);
  index_.RemoveNode(0);
  EXPECT_TRUE(index_.IsEmpty());
}

TEST_F(TopologyIndexTest, NodeSetsFollowLabelsAndTaints) {
  NodeCondition condition;
  condition.topology_keys = {"zone"};
  condition.tolerations.emplace();
  EXPECT_TRUE(index_.Nodes(condition).Has(0));
  node_.taints = {{"t", "", kNoSchedule}};
  index_.UpdateNode(0);
  EXPECT_FALSE(index_.Nodes(condition).Has(0));
  node_.taints.clear();
  index_.UpdateNode(0);
  EXPECT_TRUE(index_.Nodes(condition).Has(0));
  node_.meta.labels = Labels();
  index_.UpdateNode(0);
  EXPECT_FALSE(index_.Nodes(condition).Has(0));
}

TEST_F(TopologyIndexTest, ForgetsNodeSetsWhenThereAreTooMany) {
  const auto set_of = [](const std::string& value) {
    NodeCondition condition;
    condition.node_selector = Labels{{"zone", value}};
    return condition;
  };
  PodGroup* const group = Add("web");
  for (int i = 0; i < 1000; ++i) {
    const NodeSet& set = index_.Nodes(set_of(std::to_string(i)));
    index_.ByDomain(index_.Count(QueryOfApp("web")), index_.Domains("zone"),
                    &set);
  }
  EXPECT_EQ(index_.size().node_sets, 1000u);
  index_.Place(*group, 0);
  EXPECT_EQ(index_.size().node_sets, 0u);
  EXPECT_TRUE(index_.Nodes(set_of("a")).Has(0));
  EXPECT_FALSE(index_.Nodes(set_of("1")).Has(0));
}

TEST_F(TopologyIndexTest, KeepsNothingWhenTheLastPodAndNodeHaveGone) {
  PodGroup* const group = Add("a");
  index_.ByDomain(index_.Count(QueryOfApp("a")), index_.Domains("zone"),
                  &index_.Nodes(NodeCondition()));
  EXPECT_FALSE(index_.IsEmpty());

  Remove(group);
  index_.RemoveNode(0);
  EXPECT_TRUE(index_.IsEmpty());
}

}  // namespace
}  // namespace vicinal
