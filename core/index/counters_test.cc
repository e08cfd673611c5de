// The counters of a topology index through long random histories: those of few
// groups, those of many, and those that change from one to the other while they
// are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/index/pod_group.h"
#include "core/index/pod_query.h"
#include "core/index/topology_index.h"
#include "core/model/labels.h"
#include "core/model/node.h"
#include "core/model/selector.h"
#include "core/testing/dice.h"

namespace vicinal {
namespace {

constexpr int kNodes = 40;
constexpr int kEvents = 1500;

class History {
 public:
  explicit History(std::uint64_t seed) : dice_(seed), nodes_(kNodes) {
    for (int i = 0; i < kNodes; ++i) {
      index_.AddNode(static_cast<NodeId>(i), &nodes_[i]);
    }
    for (int i = 0; i < 40; ++i) queries_.push_back(MakeQuery());
  }

  void Run() {
    for (int event = 0; event < kEvents; ++event) {
      // First more and more groups, then fewer and fewer.
      if (dice_.Chance(event < kEvents / 2 ? 80 : 20) || pods_.empty()) {
        Add();
      } else {
        RemoveOne();
      }
      if (dice_.Chance(5)) queries_[dice_.Below(40)] = MakeQuery();
      const PodQuery& query = queries_[dice_.Below(40)];
      ASSERT_EQ(Counted(query), Matched(query)) << "after event " << event;
      if (event == kEvents / 2) MakeTooManyCounters();
    }
    for (const PodQuery& query : queries_) {
      ASSERT_EQ(Counted(query), Matched(query)) << "at the end";
    }
    while (!pods_.empty()) RemoveOne();
    for (int i = 0; i < kNodes; ++i) {
      index_.RemoveNode(static_cast<NodeId>(i));
    }
    ASSERT_TRUE(index_.IsEmpty());
  }

 private:
  struct Placed {
    PodGroup* group;
    NodeId node;
    std::string namespace_name;
    Labels labels;
    bool terminating;
  };

  void Add() {
    Placed pod;
    pod.namespace_name = dice_.Of({"a", "b", "b", "c"});
    pod.labels.Set("app", std::to_string(dice_.Below(60)));
    if (dice_.Chance(90)) pod.labels.Set("team", dice_.Of({"x", "x", "y"}));
    if (dice_.Chance(50)) pod.labels.Set("own", std::to_string(++last_own_));
    pod.terminating = dice_.Chance(10);
    pod.node = static_cast<NodeId>(dice_.Below(kNodes));
    pod.group =
        index_.AddPod({pod.namespace_name, pod.labels, {}, pod.terminating});
    index_.Place(*pod.group, pod.node);
    pods_.push_back(pod);
  }

  void RemoveOne() {
    std::swap(pods_[dice_.Below(static_cast<int>(pods_.size()))], pods_.back());
    index_.Unplace(*pods_.back().group, pods_.back().node);
    index_.RemovePod(pods_.back().group);
    pods_.pop_back();
  }

  Requirement MakeRequirement() {
    using Operator = Requirement::Operator;
    const auto op = dice_.Of({Operator::kIn, Operator::kNotIn, Operator::kNotIn,
                              Operator::kExists, Operator::kDoesNotExist,
                              Operator::kGreaterThan});
    const std::string key = dice_.Of({"app", "team", "own", "nobody"});
    std::vector<std::string> values;
    if (op == Operator::kIn || op == Operator::kNotIn) {
      for (int i = dice_.Below(3); i >= 0; --i) {
        values.push_back(
            dice_.Of({std::to_string(dice_.Below(60)), std::string("x")}));
      }
    } else if (op == Operator::kGreaterThan) {
      values.push_back(std::to_string(dice_.Below(60)));
    }
    return *Requirement::Create(key, op, values);
  }

  PodQuery MakeQuery() {
    PodQuery query;
    query.include_terminating = dice_.Chance(70);
    for (int i = dice_.Below(2); i >= 0; --i) {
      PodQuery::Condition& condition = query.conditions.emplace_back();
      condition.all_namespaces = dice_.Chance(60);
      condition.namespaces = {dice_.Of({"a", "b", "nobody"}),
                              dice_.Of({"a", "c", "b"})};
      if (dice_.Chance(3)) continue;  // Selects nothing.
      std::vector<Requirement> requirements;
      for (int j = dice_.Below(4); j > 0; --j) {
        requirements.push_back(MakeRequirement());
      }
      condition.selector = Selector(std::move(requirements));
    }
    return query;
  }

  // So that the next change drops the oldest half.
  void MakeTooManyCounters() {
    for (int i = 0; i < 9000; ++i) {
      PodQuery query;
      query.conditions.emplace_back();
      query.conditions[0].namespaces = {"b"};
      query.conditions[0].selector =
          Selector::FromSet(Labels{{"none", std::to_string(i)}});
      index_.Count(query);
    }
  }

  std::vector<int> Counted(const PodQuery& query) const {
    const PlacementCounts& counts = index_.Count(query);
    std::vector<int> by_node(kNodes, 0);
    for (int i = 0; i < kNodes; ++i) {
      by_node[i] = counts.by_node().Get(static_cast<NodeId>(i));
    }
    return by_node;
  }

  std::vector<int> Matched(const PodQuery& query) const {
    std::vector<int> by_node(kNodes, 0);
    for (const Placed& pod : pods_) {
      const auto find = [&pod](const std::string& key) {
        return pod.labels.Find(key);
      };
      if (query.Matches(pod.namespace_name, find, pod.terminating)) {
        ++by_node[pod.node];
      }
    }
    return by_node;
  }

  Dice dice_;
  std::vector<Node> nodes_;
  TopologyIndex index_;
  std::vector<PodQuery> queries_;
  std::vector<Placed> pods_;
  int last_own_ = 0;
};

TEST(CountersTest, CountWhatMatchesAfterEveryEvent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    History(seed).Run();
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

// A question of many terms, each of which leaves out another pod.
TEST(CountersTest, ManyThatAreNearlyTheSameAreCountedEach) {
  TopologyIndex index;
  Node node;
  index.AddNode(0, &node);
  constexpr int kPods = 200;
  const auto app = [](int i) { return "app" + std::to_string(i); };
  std::vector<PodGroup*> groups;
  for (int i = 0; i < kPods; ++i) {
    const Labels labels{{"app", app(i)}};
    groups.push_back(index.AddPod({"ns", labels, {}, false}));
    index.Place(*groups.back(), 0);
  }
  const auto count_without = [&](int i) {
    PodQuery query;
    query.conditions.push_back(
        {true,
         {},
         Selector({*Requirement::Create("app", Requirement::Operator::kNotIn,
                                        {app(i)})})});
    return index.Count(query).by_node().Get(0);
  };
  for (int i = 0; i < kPods; ++i) EXPECT_EQ(count_without(i), kPods - 1) << i;
  index.Unplace(*groups[7], 0);
  index.RemovePod(groups[7]);
  for (int i = 0; i < kPods; ++i) {
    EXPECT_EQ(count_without(i), i == 7 ? kPods - 1 : kPods - 2) << i;
  }
}

}  // namespace
}  // namespace vicinal
