#include "core/engine/select_victims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/engine/run_plugins.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/noderesources/noderesources_args.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"
#include "core/testing/budgets.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

// A pod that must not be with app=web by host.
constexpr char kAwayFromWeb[] = R"(
  metadata: {name: incoming, namespace: default, uid: incoming}
  spec:
    priority: 100
    affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
      [{labelSelector: {matchLabels: {app: web}}, topologyKey: host}]}})";

// A pod that must be with app=web by host.
constexpr char kBesideWeb[] = R"(
  metadata: {name: incoming, namespace: default, uid: incoming}
  spec:
    priority: 100
    affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
      [{labelSelector: {matchLabels: {app: web}}, topologyKey: host}]}})";

// At most one more pod of app=web on a host than on another.
constexpr char kSpreadWeb[] = R"(
  metadata: {name: incoming, namespace: default, uid: incoming, labels: {app: web}}
  spec:
    priority: 100
    topologySpreadConstraints:
      [{maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule,
        labelSelector: {matchLabels: {app: web}}}])";

class PreemptTest : public ::testing::Test {
 protected:
  PreemptTest() {
    AddNode(cluster_, "n1", {{"host", "n1"}, {"zone", "a"}});
    AddNode(cluster_, "n2", {{"host", "n2"}, {"zone", "a"}});
  }

  // Adds a pod whose uid is its name.
  void Run(std::string node, const std::string& name, const std::string& app,
           int priority, const std::string& more = "") {
    AddPod(cluster_, std::move(node),
           "{metadata: {namespace: default, name: " + name + ", uid: " + name +
               ", labels: {app: " + app + "}}, spec: {priority: " +
               std::to_string(priority) + "}" + more + "}");
  }

  std::optional<std::vector<std::string>> Select(
      std::string_view pod, const std::vector<std::string>& victims,
      std::string_view node = "n1") {
    std::optional<SelectedVictims> selected =
        SelectVictims(profile_, resources_, cluster_, MakePod(pod), node,
                      {victims, proposed_violations_});
    if (!selected) return std::nullopt;
    violations_ = selected->num_pdb_violations;
    return std::move(selected->uids);
  }

  // The same for a pod of app=web that no budget lets go.
  void RunProtected(const std::string& name, int priority) {
    AddBudget(cluster_, "gold", "{selector: {matchLabels: {tier: gold}}}");
    AddPod(cluster_, "n1",
           "{metadata: {namespace: default, name: " + name + ", uid: " + name +
               ", labels: {app: web, tier: gold}}, spec: {priority: " +
               std::to_string(priority) + "}}");
  }

  const Profile profile_ =
      TopologyProfile(PodTopologySpreadArgs(), InterPodAffinityArgs());
  // None: the scheduler's choice has reasons that are not known.
  Profile resources_;
  ClusterState cluster_;
  std::int64_t proposed_violations_ = 0;
  std::int64_t violations_ = -1;  // Of the last selection.
};

TEST_F(PreemptTest, VictimsThatAreEnoughStayAsTheyAre) {
  Run("n1", "small", "other", 1);
  Run("n1", "large", "other", 2);
  Run("n1", "bystander", "other", 1);
  EXPECT_THAT(Select(kAwayFromWeb, {"small", "large"}),
              Optional(ElementsAre("small", "large")));
}

TEST_F(PreemptTest, APodThatIsInTheWayOfAnAntiAffinityIsAdded) {
  Run("n1", "web", "web", 1);
  Run("n1", "big", "other", 2);
  Run("n1", "bystander", "other", 0);
  EXPECT_THAT(Select(kAwayFromWeb, {"big"}),
              Optional(ElementsAre("big", "web")));
}

TEST_F(PreemptTest, APodWhoseOwnAntiAffinityIsInTheWayIsAdded) {
  AddPod(cluster_, "n1", R"(
    metadata: {name: loner, namespace: default, uid: loner, labels: {app: other}}
    spec:
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
        [{labelSelector: {matchLabels: {app: web}}, topologyKey: host}]}})");
  Run("n1", "big", "other", 2);
  EXPECT_THAT(Select("{metadata: {name: incoming, labels: {app: web}}, "
                     "spec: {priority: 100}}",
                     {"big"}),
              Optional(ElementsAre("big", "loner")));
}

TEST_F(PreemptTest, APodOfTheSamePriorityIsNeverAdded) {
  Run("n1", "web", "web", 100);
  Run("n1", "big", "other", 2);
  EXPECT_EQ(Select(kAwayFromWeb, {"big"}), std::nullopt);
}

TEST_F(PreemptTest, APodOnAnotherNodeIsNeverAdded) {
  Run("n2", "web", "web", 1);
  Run("n1", "big", "other", 2);
  EXPECT_EQ(Select(R"(
    metadata: {name: incoming}
    spec:
      priority: 100
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
        [{labelSelector: {matchLabels: {app: web}}, topologyKey: zone}]}})",
                   {"big"}),
            std::nullopt);
}

TEST_F(PreemptTest, ANodeWhereTheAffinityWouldStillFailIsDropped) {
  Run("n1", "big", "other", 2);
  Run("n2", "web", "web", 2);
  EXPECT_EQ(Select(kBesideWeb, {"big"}), std::nullopt);
}

TEST_F(PreemptTest, ANodeWhoseVictimsTheAffinityNeedsIsDropped) {
  Run("n1", "web", "web", 2);
  EXPECT_EQ(Select(kBesideWeb, {"web"}), std::nullopt);
}

TEST_F(PreemptTest, AnAffinityMayRestOnAPodOfLowerPriorityThatStays) {
  Run("n1", "web", "web", 2);
  Run("n1", "big", "other", 2);
  EXPECT_THAT(Select(kBesideWeb, {"big"}), Optional(ElementsAre("big")));
}

TEST_F(PreemptTest, OnlyAsManyPodsAreAddedAsASpreadNeedsTheLeastImportant) {
  Run("n1", "first", "web", 1, ", status: {startTime: '2026-01-01T00:00:00Z'}");
  Run("n1", "second", "web", 1,
      ", status: {startTime: '2026-01-02T00:00:00Z'}");
  Run("n1", "third", "web", 2);
  Run("n2", "elsewhere", "web", 1);
  Run("n1", "big", "other", 5);
  // n2 has one: with the incoming one n1 may have two.
  EXPECT_THAT(Select(kSpreadWeb, {"big"}),
              Optional(ElementsAre("big", "first", "second")));
}

// n2 has one pod of app=web: with the incoming one n1 may have two.
TEST_F(PreemptTest, APodThatABudgetProtectsIsSparedBeforeAMoreImportantOne) {
  RunProtected("protected", 1);
  Run("n1", "important", "web", 2);
  Run("n2", "elsewhere", "web", 1);
  Run("n1", "big", "other", 5);
  EXPECT_THAT(Select(kSpreadWeb, {"big"}),
              Optional(ElementsAre("big", "important")));
  EXPECT_EQ(violations_, 0);
}

TEST_F(PreemptTest, AddedPodsThatABudgetProtectsAreCounted) {
  RunProtected("first", 1);
  RunProtected("second", 2);
  Run("n2", "elsewhere", "web", 1);
  Run("n1", "big", "other", 5);
  proposed_violations_ = 3;
  EXPECT_THAT(Select(kSpreadWeb, {"big"}),
              Optional(ElementsAre("big", "first")));
  EXPECT_EQ(violations_, 4);
}

TEST_F(PreemptTest, VictimsAreOrderedByPriorityThenByStart) {
  Run("n1", "never-started", "web", 1);
  Run("n1", "late", "web", 1, ", status: {startTime: '2026-01-02T00:00:00Z'}");
  Run("n1", "early", "web", 1, ", status: {startTime: '2026-01-01T00:00:00Z'}");
  Run("n1", "high", "web", 7);
  Run("n1", "given", "other", 3);
  EXPECT_THAT(Select(kAwayFromWeb, {"unknown", "given"}),
              Optional(ElementsAre("high", "given", "early", "late",
                                   "never-started", "unknown")));
}

TEST_F(PreemptTest, VictimsThatAreGoneAlreadyStayInTheAnswer) {
  EXPECT_THAT(Select(kAwayFromWeb, {"gone"}), Optional(ElementsAre("gone")));
}

TEST_F(PreemptTest, NominatedPodsCountWithTheSameOrAHigherPriority) {
  Run("n1", "big", "other", 2);
  const auto nominate = [this](int priority) {
    cluster_.Upsert(ParsePod(
        "{metadata: {name: nominated, namespace: default, uid: nominated, "
        "labels: {app: web}}, "
        "spec: {priority: " +
        std::to_string(priority) + "}, status: {nominatedNodeName: n1}}"));
  };
  nominate(100);
  EXPECT_EQ(Select(kAwayFromWeb, {"big"}), std::nullopt);
  nominate(99);
  EXPECT_THAT(Select(kAwayFromWeb, {"big"}), Optional(ElementsAre("big")));
}

TEST_F(PreemptTest, WithoutVictimsAFittingNodeStaysWithoutThem) {
  EXPECT_THAT(Select(kAwayFromWeb, {}), Optional(IsEmpty()));
  Run("n1", "web", "web", 1);
  EXPECT_THAT(Select(kAwayFromWeb, {}), Optional(ElementsAre("web")));
}

TEST_F(PreemptTest, AnUnknownNodeIsDropped) {
  EXPECT_EQ(Select(kAwayFromWeb, {"web"}, "n3"), std::nullopt);
}

TEST_F(PreemptTest, AQuestionInErrorDropsTheNode) {
  EXPECT_EQ(Select(R"(
    metadata: {name: incoming}
    spec:
      priority: 100
      topologySpreadConstraints:
        [{maxSkew: 1, topologyKey: host, whenUnsatisfiable: DoNotSchedule,
          labelSelector: {matchExpressions: [{key: a, operator: Near}]}}])",
                   {}),
            std::nullopt);
}

TEST_F(PreemptTest, TheClusterIsAsItWas) {
  Run("n1", "web", "web", 1, ", status: {startTime: '2026-01-02T00:00:00Z'}");
  Run("n1", "web2", "web", 2);
  Run("n1", "big", "other", 2);
  Run("n2", "elsewhere", "web", 2);
  const auto pods = [this] {
    std::vector<Pod> pods;
    for (const ObjectKey& key : cluster_.Keys<Pod>()) {
      pods.push_back(cluster_.FindPod(key)->ToPod());
    }
    std::sort(pods.begin(), pods.end(), [](const Pod& a, const Pod& b) {
      return a.meta.name < b.meta.name;
    });
    return pods;
  };
  const auto verdicts = [this](std::string_view pod) {
    std::vector<std::string> verdicts;
    const FilterOutcome outcome =
        RunFilterPlugins(profile_, cluster_, MakePod(pod), cluster_.Nodes());
    for (std::size_t i = 0; i < outcome.statuses.size(); ++i) {
      verdicts.push_back(outcome.statuses[i].Message());
    }
    return verdicts;
  };
  const std::vector<Pod> pods_before = pods();
  for (const char* incoming : {kAwayFromWeb, kBesideWeb, kSpreadWeb}) {
    const std::vector<std::string> verdicts_before = verdicts(incoming);
    Select(incoming, {"big"});
    Select(incoming, {"big", "web", "web2"});
    EXPECT_EQ(verdicts(incoming), verdicts_before);
  }
  EXPECT_EQ(pods(), pods_before);
  EXPECT_EQ(cluster_.FindNode("n1")->pods.size(), 3u);
}

TEST_F(PreemptTest, AVictimOnAnotherNodeDropsTheNode) {
  Run("n1", "web", "web", 1);
  Run("n2", "member", "other", 1);
  EXPECT_EQ(Select(kAwayFromWeb, {"web", "member"}), std::nullopt);
}

// The scheduler's choice by room can be made again.
class PreemptForRoomTest : public PreemptTest {
 protected:
  PreemptForRoomTest() {
    resources_.filters.push_back(
        std::make_unique<NodeResourcesFit>(NodeResourcesFitArgs()));
    AddObjects(cluster_, R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {host: n1}}
status: {allocatable: {cpu: 4, pods: 10}}
)");
  }

  // A pod of half of the node.
  void RunLarge(const std::string& name, const std::string& app, int priority) {
    AddPod(cluster_, "n1",
           "{metadata: {namespace: default, name: " + name + ", uid: " + name +
               ", labels: {app: " + app +
               "}}, spec: {priority: " + std::to_string(priority) +
               ", containers: [{name: c, resources: {requests: {cpu: 2}}}]}}");
  }

  static constexpr char kLargeAwayFromWeb[] = R"(
  metadata: {name: incoming, namespace: default, uid: incoming}
  spec:
    priority: 100
    containers: [{name: c, resources: {requests: {cpu: 2}}}]
    affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
      [{labelSelector: {matchLabels: {app: web}}, topologyKey: host}]}})";
};

TEST_F(PreemptForRoomTest, AVictimStaysWhoseRoomAnAddedOneMakesUnnecessary) {
  RunLarge("web", "web", 2);
  RunLarge("cheap", "other", 1);
  EXPECT_THAT(Select(kLargeAwayFromWeb, {"cheap"}),
              Optional(ElementsAre("web")));
}

TEST_F(PreemptForRoomTest, AChoiceWithOtherReasonsThanRoomIsKept) {
  RunLarge("dear", "other", 2);
  RunLarge("web", "web", 1);
  EXPECT_THAT(Select(kLargeAwayFromWeb, {"dear"}),
              Optional(ElementsAre("dear", "web")));
}

// The choice by room is to spare the protected one.
TEST_F(PreemptForRoomTest, ViolationsAreCountedAnewWhereTheChoiceIsMadeAgain) {
  RunLarge("dear", "other", 2);
  RunLarge("cheap", "other", 1);
  RunProtected("web", 1);
  EXPECT_THAT(Select(kLargeAwayFromWeb, {"cheap"}),
              Optional(ElementsAre("cheap", "web")));
  EXPECT_EQ(violations_, 1);
}

TEST_F(PreemptForRoomTest, AnAffinityMayNotRestOnAPodOfLowerPriority) {
  RunLarge("web", "web", 2);
  RunLarge("cheap", "other", 1);
  EXPECT_EQ(Select(R"(
  metadata: {name: incoming, namespace: default, uid: incoming}
  spec:
    priority: 100
    containers: [{name: c, resources: {requests: {cpu: 2}}}]
    affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
      [{labelSelector: {matchLabels: {app: web}}, topologyKey: host}]}})",
                   {"cheap"}),
            std::nullopt);
}

}  // namespace
}  // namespace vicinal
