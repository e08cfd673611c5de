#include "core/engine/run_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/framework.h"
#include "core/plugins/status.h"
#include "core/testing/objects.h"
#include "core/testing/run_plugin.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FixedFilter : public PreparedFilter {
 public:
  explicit FixedFilter(Status status) : status_(std::move(status)) {}
  Status Filter(const NodeInfo&) const override { return status_; }

 private:
  const Status status_;
};

// A plugin whose answers are given.
class FixedFilterPlugin : public FilterPlugin {
 public:
  FixedFilterPlugin(std::string_view name, Status pre_filter, Status filter,
                    std::optional<std::vector<std::string>> node_names)
      : name_(name),
        pre_filter_(std::move(pre_filter)),
        filter_(std::move(filter)),
        node_names_(std::move(node_names)) {}

  std::string_view Name() const override { return name_; }
  PreFilterResult PreFilter(const ClusterState&,
                            const PodInfo&) const override {
    PreFilterResult result;
    result.status = pre_filter_;
    result.node_names = node_names_;
    if (pre_filter_.ok())
      result.filter = std::make_unique<FixedFilter>(filter_);
    return result;
  }

 private:
  const std::string_view name_;
  const Status pre_filter_;
  const Status filter_;
  const std::optional<std::vector<std::string>> node_names_;
};

// Scores nodes by the length of their names, and normalizes by doubling.
class NameLengthScore : public PreparedScore {
 public:
  std::int64_t Score(const NodeInfo& node) const override {
    return static_cast<std::int64_t>(node.Name().size());
  }
  void Normalize(const CandidateNodes&,
                 std::span<std::int64_t> scores) const override {
    for (std::int64_t& score : scores) score *= 2;
  }
};

class NameLengthPlugin : public ScorePlugin {
 public:
  explicit NameLengthPlugin(std::string_view name, Status status = Status())
      : name_(name), status_(std::move(status)) {}
  std::string_view Name() const override { return name_; }
  PreScoreResult PreScore(const ClusterState&, const PodInfo&,
                          const CandidateNodes&) const override {
    PreScoreResult result;
    result.status = status_;
    if (status_.ok()) result.score = std::make_unique<NameLengthScore>();
    return result;
  }

 private:
  const std::string_view name_;
  const Status status_;
};

class RunPluginsTest : public ::testing::Test {
 protected:
  RunPluginsTest() {
    AddNode(cluster_, "n1", {{"zone", "a"}, {"host", "n1"}});
    AddNode(cluster_, "n22", {{"zone", "b"}, {"host", "n22"}});
  }

  void AddFilter(std::string_view name, Status pre_filter,
                 Status filter = Status(),
                 std::optional<std::vector<std::string>> node_names = {}) {
    profile_.filters.push_back(std::make_unique<FixedFilterPlugin>(
        name, std::move(pre_filter), std::move(filter), std::move(node_names)));
  }

  FilterOutcome Filter(std::string_view pod = "{}") const {
    return RunFilterPlugins(profile_, cluster_, MakePod(pod), cluster_.Nodes());
  }

  // What the filters say for each node, in order of names.
  static std::vector<std::string> Statuses(const FilterOutcome& outcome) {
    std::vector<std::string> statuses;
    for (std::size_t i = 0; i < outcome.statuses.size(); ++i) {
      const Status& status = outcome.statuses[i];
      statuses.push_back(std::string(status.plugin()) + "> " +
                         Described(status));
    }
    return statuses;
  }

  ScoreOutcome Score() const {
    return RunScorePlugins(profile_, cluster_, MakePod("{}"), cluster_.Nodes());
  }

  ClusterState cluster_;
  Profile profile_;
};

const Status kRefused(Code::kUnschedulable, "refused");
const Status kUnresolvable(Code::kUnschedulableAndUnresolvable, "impossible");

TEST_F(RunPluginsTest, WithoutPluginsEveryNodePasses) {
  EXPECT_THAT(Statuses(Filter()), ElementsAre("> ok", "> ok"));
}

TEST_F(RunPluginsTest, TheFirstPluginThatRefusesANodeIsNamed) {
  AddFilter("A", Status());
  AddFilter("B", Status(), kRefused);
  AddFilter("C", Status(), kUnresolvable);
  const FilterOutcome outcome = Filter();
  EXPECT_TRUE(outcome.pre_filter.ok());
  EXPECT_THAT(Statuses(outcome), ElementsAre("B> Unschedulable: refused",
                                             "B> Unschedulable: refused"));
}

TEST_F(RunPluginsTest, AnErrorOfAFilterIsWrappedAsUpstreamDoes) {
  AddFilter("A", Status(), Status::Error("boom"));
  EXPECT_THAT(Statuses(Filter()),
              ElementsAre("A> Error: running \"A\" filter plugin: boom",
                          "A> Error: running \"A\" filter plugin: boom"));
}

TEST_F(RunPluginsTest, APluginThatSkipsDoesNotFilter) {
  AddFilter("A", Status::Skip(), kRefused);
  AddFilter("B", Status());
  EXPECT_THAT(Statuses(Filter()), ElementsAre("> ok", "> ok"));
}

TEST_F(RunPluginsTest, AnErrorBeforeTheFiltersEndsAllAndIsWrapped) {
  AddFilter("A", Status::Error("boom"));
  AddFilter("B", kUnresolvable);
  const FilterOutcome outcome = Filter();
  constexpr char kText[] = "Error: running PreFilter plugin \"A\": boom";
  EXPECT_EQ(Described(outcome.pre_filter), kText);
  EXPECT_THAT(Statuses(outcome), ElementsAre("A> " + std::string(kText),
                                             "A> " + std::string(kText)));
}

TEST_F(RunPluginsTest, ARefusalBeforeTheFiltersHoldsForAllNodes) {
  AddFilter("A", kUnresolvable);
  AddFilter("B", Status::Error("not asked"));
  const FilterOutcome outcome = Filter();
  EXPECT_EQ(Described(outcome.pre_filter),
            "UnschedulableAndUnresolvable: impossible");
  EXPECT_EQ(outcome.pre_filter.plugin(), "A");
  EXPECT_THAT(Statuses(outcome),
              ElementsAre("A> UnschedulableAndUnresolvable: impossible",
                          "A> UnschedulableAndUnresolvable: impossible"));
}

TEST_F(RunPluginsTest, AResolvableRefusalYieldsToAnUnresolvableOne) {
  AddFilter("A", kRefused);
  AddFilter("B", Status());
  EXPECT_EQ(Described(Filter().pre_filter), "Unschedulable: refused");
  AddFilter("C", kUnresolvable);
  const FilterOutcome outcome = Filter();
  EXPECT_EQ(Described(outcome.pre_filter),
            "UnschedulableAndUnresolvable: impossible");
  EXPECT_EQ(outcome.pre_filter.plugin(), "C");
}

TEST_F(RunPluginsTest, NodesThatAPluginRulesOutAreUnresolvable) {
  AddFilter("A", Status(), kRefused, std::vector<std::string>{"n22", "n3"});
  const FilterOutcome outcome = Filter();
  EXPECT_TRUE(outcome.pre_filter.ok());
  EXPECT_THAT(Statuses(outcome),
              ElementsAre("> UnschedulableAndUnresolvable: node(s) didn't "
                          "satisfy plugin(s) [A]",
                          "A> Unschedulable: refused"));
}

TEST_F(RunPluginsTest, NodesMustBeAmongThoseOfEveryPlugin) {
  AddFilter("B", Status(), Status(), std::vector<std::string>{"n1", "n3"});
  AddFilter("C", Status());
  AddFilter("A", Status(), Status(), std::vector<std::string>{"n22", "n3"});
  const FilterOutcome outcome = Filter();
  EXPECT_TRUE(outcome.pre_filter.ok());
  EXPECT_THAT(Statuses(outcome),
              ElementsAre("> UnschedulableAndUnresolvable: node(s) didn't "
                          "satisfy plugin(s) [A B]",
                          "> UnschedulableAndUnresolvable: node(s) didn't "
                          "satisfy plugin(s) [A B]"));
}

TEST_F(RunPluginsTest, APluginThatLeavesNoNodeRefusesAll) {
  AddFilter("A", Status(), Status(), std::vector<std::string>());
  EXPECT_EQ(Described(Filter().pre_filter),
            "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin A");
}

TEST_F(RunPluginsTest, PluginsThatTogetherLeaveNoNodeRefuseAll) {
  AddFilter("B", Status(), Status(), std::vector<std::string>{"n1"});
  AddFilter("A", Status(), Status(), std::vector<std::string>{"n22"});
  AddFilter("C", Status::Error("not asked"));
  const FilterOutcome outcome = Filter();
  EXPECT_EQ(Described(outcome.pre_filter),
            "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) "
            "[A B] simultaneously");
  EXPECT_THAT(outcome.statuses, SizeIs(2));
}

TEST_F(RunPluginsTest, ScoresAreNormalizedWeightedAndSummed) {
  profile_.scores.push_back({std::make_unique<NameLengthPlugin>("A"), 3});
  profile_.scores.push_back({std::make_unique<NameLengthPlugin>("B"), 10});
  const ScoreOutcome outcome = Score();
  EXPECT_TRUE(outcome.status.ok());
  ASSERT_THAT(outcome.plugins, SizeIs(2));
  EXPECT_EQ(outcome.plugins[0].plugin, "A");
  EXPECT_EQ(outcome.plugins[0].weight, 3);
  EXPECT_THAT(outcome.plugins[0].raw, ElementsAre(2, 3));
  EXPECT_THAT(outcome.plugins[0].normalized, ElementsAre(4, 6));
  EXPECT_EQ(outcome.plugins[1].plugin, "B");
  EXPECT_THAT(outcome.totals, ElementsAre(52, 78));
}

TEST_F(RunPluginsTest, APluginThatSkipsDoesNotScore) {
  profile_.scores.push_back(
      {std::make_unique<NameLengthPlugin>("A", Status::Skip()), 3});
  profile_.scores.push_back({std::make_unique<NameLengthPlugin>("B"), 1});
  const ScoreOutcome outcome = Score();
  EXPECT_TRUE(outcome.status.ok());
  ASSERT_THAT(outcome.plugins, SizeIs(1));
  EXPECT_EQ(outcome.plugins[0].plugin, "B");
  EXPECT_THAT(outcome.totals, ElementsAre(4, 6));
}

TEST_F(RunPluginsTest, WithoutScoresTheTotalsAreZero) {
  EXPECT_THAT(Score().totals, ElementsAre(0, 0));
}

TEST_F(RunPluginsTest, AnErrorBeforeTheScoresIsWrappedAndLeavesNone) {
  profile_.scores.push_back({std::make_unique<NameLengthPlugin>("A"), 1});
  profile_.scores.push_back(
      {std::make_unique<NameLengthPlugin>("B", Status::Error("boom")), 1});
  const ScoreOutcome outcome = Score();
  EXPECT_EQ(Described(outcome.status),
            "Error: running PreScore plugin \"B\": boom");
  EXPECT_THAT(outcome.plugins, IsEmpty());
  EXPECT_THAT(outcome.totals, IsEmpty());
}

TEST_F(RunPluginsTest, ANormalizedScoreOutOfRangeIsAnError) {
  profile_.scores.push_back({std::make_unique<NameLengthPlugin>("A"), 1});
  AddNode(cluster_, std::string(50, 'n'));
  EXPECT_TRUE(Score().status.ok());
  AddNode(cluster_, std::string(51, 'n'));
  const ScoreOutcome outcome = Score();
  EXPECT_EQ(Described(outcome.status),
            "Error: applying score defaultWeights on Score plugins: plugin "
            "\"A\" returns an invalid score 102, it should in the range of [0, "
            "100] after normalizing");
  EXPECT_THAT(outcome.plugins, IsEmpty());
  EXPECT_THAT(outcome.totals, IsEmpty());
}

constexpr char kAntiAffinity[] =
    "InterPodAffinity> Unschedulable: node(s) didn't match pod anti-affinity "
    "rules";
constexpr char kNoAffinity[] =
    "InterPodAffinity> UnschedulableAndUnresolvable: node(s) didn't match pod "
    "affinity rules";

// With the real plugins, and pods that are nominated to run on n1.
class NominatedPodsTest : public RunPluginsTest {
 protected:
  NominatedPodsTest() { profile_ = TopologyProfile({}, {}); }

  // Adds a pod of app web.
  void Nominate(int priority, std::string_view name = "other",
                std::string_view uid = "u-other") {
    std::string yaml = "{metadata: {name: ";
    yaml.append(name);
    if (!uid.empty()) yaml.append(", namespace: default, uid: ").append(uid);
    yaml.append(", labels: {app: web}}, spec: {priority: ");
    yaml.append(std::to_string(priority));
    cluster_.Upsert(ParsePod(yaml + "}, status: {nominatedNodeName: n1}}"));
  }

  // An incoming pod of app web and priority 5 that requires something of pods
  // of its app, by zone.
  static std::string Web(std::string_view kind, std::string_view uid = "u-me") {
    std::string yaml = "{metadata: {name: me, labels: {app: web}";
    if (!uid.empty()) yaml.append(", namespace: default, uid: ").append(uid);
    yaml.append("}, spec: {priority: 5, affinity: {").append(kind);
    return yaml.append(
        ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
        "zone, labelSelector: {matchLabels: {app: web}}}]}}}}");
  }
};

TEST_F(NominatedPodsTest, OfTheSameOrAHigherPriorityCountAsRunning) {
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity"))),
              ElementsAre("> ok", "> ok"));
  Nominate(5);
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity"))),
              ElementsAre(kAntiAffinity, "> ok"));
  Nominate(6);
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity"))),
              ElementsAre(kAntiAffinity, "> ok"));
}

TEST_F(NominatedPodsTest, OfALowerPriorityDoNotCount) {
  Nominate(4);
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity"))),
              ElementsAre("> ok", "> ok"));
}

TEST_F(NominatedPodsTest, DoNotHelpSinceItMustFitWithoutThemToo) {
  // A pod of app web on n22 makes the nominated one the only match in zone a.
  AddPod(cluster_, "n22", "{metadata: {name: p, labels: {app: web}}}");
  Nominate(5);
  EXPECT_THAT(Statuses(Filter(Web("podAffinity"))),
              ElementsAre(kNoAffinity, "> ok"));
}

TEST_F(NominatedPodsTest, ThePodItselfDoesNotCount) {
  Nominate(5, "me", "u-me");
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity"))),
              ElementsAre("> ok", "> ok"));
}

TEST_F(NominatedPodsTest, PodsWithoutUidAreToldApartByName) {
  Nominate(5, "me", "");
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity", ""))),
              ElementsAre("> ok", "> ok"));
  Nominate(5, "other", "");
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity", ""))),
              ElementsAre(kAntiAffinity, "> ok"));
}

TEST_F(NominatedPodsTest, CountForSpreadingAsWell) {
  constexpr char kSpread[] =
      "{metadata: {name: me, uid: u-me, namespace: default, labels: {app: "
      "web}}, spec: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: "
      "1, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: "
      "{app: web}}}]}}";
  Nominate(0);
  EXPECT_THAT(Statuses(Filter(kSpread)),
              ElementsAre("PodTopologySpread> Unschedulable: node(s) didn't "
                          "match pod topology spread constraints",
                          "> ok"));
}

TEST_F(NominatedPodsTest, DoNotCountForPluginsThatSkip) {
  // Only the nominated pod has a rule: before that InterPodAffinity skips.
  cluster_.Upsert(ParsePod(
      "{metadata: {name: other, uid: u-other, namespace: default}, spec: "
      "{priority: 9, affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
      "labelSelector: {}}]}}}, status: {nominatedNodeName: n1}}"));
  EXPECT_THAT(Statuses(Filter("{metadata: {name: me, uid: u-me}}")),
              ElementsAre("> ok", "> ok"));
}

TEST_F(NominatedPodsTest, AreLookedAtOnTheirOwnNodeOnly) {
  // Upstream adds the nominated pods of the node that is being filtered: that
  // another node shares the domain does not matter.
  AddNode(cluster_, "n3", {{"zone", "a"}, {"host", "n3"}});
  Nominate(5);
  EXPECT_THAT(Statuses(Filter(Web("podAntiAffinity"))),
              ElementsAre(kAntiAffinity, "> ok", "> ok"));
}

}  // namespace
}  // namespace vicinal
