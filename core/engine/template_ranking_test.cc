// A failing history prints its seed; VICINAL_SEED=<seed> runs it alone, and
// VICINAL_HISTORIES=<n> runs more of them.
#include "core/engine/template_ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/engine/run_plugins.h"
#include "core/plugins/plugin_config.h"
#include "core/testing/dice.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

constexpr int kEventsPerHistory = 40;
constexpr int kNodes = 9;

// A cluster that tells which nodes have changed.
class History {
 public:
  explicit History(std::uint64_t seed) : dice_(seed) {
    for (int i = 0; i < 4; ++i) askers_.push_back(RandomPod("asker"));
  }

  void Happen() {
    switch (dice_.Below(8)) {
      case 0:
      case 1:
        UpsertNode();
        break;
      case 2:
        cluster_.Remove<Node>({"", RandomNodeName()});
        break;
      case 3:
        RemovePod("p" + std::to_string(dice_.Below(20)));
        break;
      case 4:
        askers_[static_cast<std::size_t>(dice_.Below(4))] = RandomPod("asker");
        break;
      default:
        PlacePod();
    }
  }

  // What the kept answers are for one of the askers, and what they must be.
  void CheckOne() {
    const PodInfo pod(askers_[static_cast<std::size_t>(dice_.Below(4))]);
    const auto limit = static_cast<std::size_t>(dice_.Of({1, 3, kNodes}));
    const CandidateNodes nodes = AllNodes(cluster_);
    const FilterOutcome filtered =
        RunFilterPlugins(profile_, cluster_, pod, nodes);
    const std::vector<std::size_t> passed = filtered.statuses.Passed();
    const SelectedNodes selected(nodes, passed);
    const ScoreOutcome scored =
        RunScorePlugins(profile_, cluster_, pod, selected.candidates());
    const TemplateRanking::Ranked ranked = ranking_.Rank(pod, limit, random_);
    const bool is_error = std::ranges::any_of(
        filtered.statuses.distinct(),
        [](const Status& status) { return status.code() == Code::kError; });
    if (is_error || (passed.size() > 1 && !scored.status.ok())) {
      EXPECT_EQ(ranked.status.code(), Code::kError);
      EXPECT_THAT(ranked.best, IsEmpty());
      return;
    }
    EXPECT_TRUE(ranked.status.ok()) << ranked.status.Message();
    EXPECT_EQ(ranked.passed, passed.size());
    std::map<NodeId, std::int64_t> totals;
    std::vector<std::int64_t> highest;
    for (std::size_t i = 0; i < passed.size(); ++i) {
      // One that passes alone is taken, even if it cannot be scored.
      const std::int64_t total = scored.status.ok() ? scored.totals[i] : 0;
      totals[nodes.ids()[passed[i]]] = total;
      highest.push_back(total);
    }
    std::ranges::sort(highest, std::greater());
    highest.resize(std::min(limit, highest.size()));
    std::vector<std::int64_t> found;
    for (const NodeId id : ranked.best) {
      ASSERT_TRUE(totals.contains(id)) << "refused, or named twice";
      found.push_back(totals.extract(id).mapped());
    }
    EXPECT_EQ(found, highest);
  }

  bool IsNodeThere() const { return !cluster_.Nodes().empty(); }

 private:
  std::string Text(std::initializer_list<const char*> choices) {
    return dice_.Of(choices);
  }
  std::string RandomNodeName() {
    return "n" + std::to_string(dice_.Below(kNodes));
  }

  void Changed(const std::string& node) {
    if (const NodeInfo* info = cluster_.FindNode(node)) changed_.Add(info->id);
  }

  void UpsertNode() {
    const std::string name = RandomNodeName();
    std::string yaml =
        "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name +
        ", labels: {kubernetes.io/hostname: " + name;
    if (dice_.Chance(80)) yaml += ", zone: " + Text({"a", "b", "c"});
    if (dice_.Chance(50)) yaml += ", disk: ssd";
    yaml += "}}, spec: {unschedulable: ";
    yaml += dice_.Chance(10) ? "true" : "false";
    if (dice_.Chance(25)) {
      yaml += ", taints: [{key: t, effect: " +
              Text({"NoSchedule", "PreferNoSchedule"}) + "}]";
    }
    yaml +=
        "}, status: {allocatable: {cpu: " + Text({"2", "4", "8"}) +
        ", memory: " + Text({"2Gi", "8Gi"}) + ", pods: " + Text({"3", "10"}) +
        "}, images: [{names: [\"i" + std::to_string(dice_.Below(3)) +
        ":latest\"], sizeBytes: " + Text({"30000000", "900000000"}) + "}]}}";
    AddObjects(cluster_, yaml);
    Changed(name);
  }

  Pod RandomPod(const std::string& name) {
    const std::string app = Text({"a", "b"});
    std::string spec = "containers: [{name: c, image: i" +
                       std::to_string(dice_.Below(3)) + ", resources: {";
    if (dice_.Chance(80)) {
      spec += "requests: {cpu: " + Text({"100m", "1", "3"}) +
              ", memory: " + Text({"100Mi", "1Gi"}) + "}";
    }
    spec += "}}]";
    if (dice_.Chance(20)) spec += ", nodeSelector: {disk: ssd}";
    if (dice_.Chance(20)) spec += ", tolerations: [{operator: Exists}]";
    if (dice_.Chance(30)) {
      spec +=
          ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: " +
          Text({"zone", "kubernetes.io/hostname"}) +
          ", whenUnsatisfiable: " + Text({"DoNotSchedule", "ScheduleAnyway"}) +
          ", labelSelector: {matchExpressions: [{key: app, operator: " +
          (dice_.Chance(5) ? "Odd" : "Exists") + "}]}}]";
    }
    std::string affinity;
    if (dice_.Chance(30)) {
      affinity += "podAntiAffinity: {" +
                  Text({"requiredDuringSchedulingIgnoredDuringExecution: "
                        "[{",
                        "preferredDuringSchedulingIgnoredDuringExecution: "
                        "[{weight: 7, podAffinityTerm: {"});
      const bool preferred = affinity.ends_with("Term: {");
      affinity +=
          "topologyKey: kubernetes.io/hostname, labelSelector: "
          "{matchLabels: {app: " +
          app + "}}}" + (preferred ? "}]}" : "]}");
    }
    if (dice_.Chance(30)) {
      if (!affinity.empty()) affinity += ", ";
      affinity +=
          "nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
          "[{weight: 5, preference: {matchExpressions: [{key: disk, operator: "
          "In, values: [ssd]}]}}]";
      if (dice_.Chance(20)) {
        affinity +=
            ", requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, "
            "operator: In, values: [" +
            RandomNodeName() + "]}]}]}";
      }
      affinity += "}";
    }
    if (!affinity.empty()) spec += ", affinity: {" + affinity + "}";
    return ParsePod("{metadata: {name: " + name + ", labels: {app: " + app +
                    "}}, spec: {" + spec + "}}");
  }

  void PlacePod() {
    const std::string name = "p" + std::to_string(dice_.Below(20));
    RemovePod(name);
    Pod pod = dice_.Chance(50)
                  ? askers_[static_cast<std::size_t>(dice_.Below(4))]
                  : RandomPod(name);
    pod.meta.name = name;
    pod.spec.node_name = RandomNodeName();
    const std::string node = pod.spec.node_name;
    cluster_.Upsert(std::move(pod));
    Changed(node);
  }

  void RemovePod(const std::string& name) {
    const StoredPod* const pod = cluster_.FindPod({"default", name});
    if (pod == nullptr) return;
    const std::string node = pod->node()->Name();
    cluster_.Remove<Pod>({"default", name});
    Changed(node);
  }

  Dice dice_;
  const Profile profile_ = DefaultProfile(PluginConfig());
  ClusterState cluster_;
  ChangedNodes changed_;
  TemplateRanking ranking_{profile_, cluster_, changed_};
  std::vector<Pod> askers_;
  std::mt19937_64 random_{1};
};

TEST(TemplateRankingTest, AnswersAsIfNothingWereKeptAfterEveryEvent) {
  Seeds seeds = Seeds::FromEnvironment();
  if (!seeds.is_replay) seeds.count /= 10;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count;
       ++seed) {
    History history(seed);
    for (int event = 0; event < kEventsPerHistory; ++event) {
      history.Happen();
      history.CheckOne();
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "VICINAL_SEED=" << seed << ", after event " << event;
    }
  }
}

TEST(TemplateRankingTest, MoreChangesThanAreRememberedAreNotMissed) {
  const Profile profile = DefaultProfile(PluginConfig());
  ClusterState cluster;
  ChangedNodes changed;
  TemplateRanking ranking(profile, cluster, changed);
  std::mt19937_64 random(1);
  const auto put_node = [&](const std::string& name, int pods) {
    AddObjects(cluster,
               "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name +
                   "}, status: {allocatable: {pods: " + std::to_string(pods) +
                   "}}}");
    changed.Add(cluster.FindNode(name)->id);
  };
  put_node("a", 0);
  put_node("b", 1);
  const PodInfo pod = MakePod("{metadata: {name: p}}");
  const auto best = [&] {
    std::vector<std::string> names;
    for (const NodeId id : ranking.Rank(pod, 5, random).best) {
      names.push_back(cluster.NodeById(id).Name());
    }
    return names;
  };
  EXPECT_THAT(best(), UnorderedElementsAreArray({"b"}));
  put_node("a", 1);
  for (std::size_t i = 0; i < ChangedNodes::kKept; ++i) put_node("b", 1);
  EXPECT_THAT(best(), UnorderedElementsAreArray({"a", "b"}));
}

TEST(TemplateRankingTest, TemplatesThatAreForgottenAreLearntAgain) {
  const Profile profile = DefaultProfile(PluginConfig());
  ClusterState cluster;
  ChangedNodes changed;
  TemplateRanking ranking(profile, cluster, changed);
  std::mt19937_64 random(1);
  AddObjects(cluster,
             "---\n{apiVersion: v1, kind: Node, metadata: {name: a}, status: "
             "{allocatable: {cpu: 20, pods: 1}}}");
  for (int round = 0; round < 2; ++round) {
    for (std::size_t cpu = 1; cpu <= TemplateRanking::kTemplates + 8; ++cpu) {
      const PodInfo pod = MakePod(
          "{spec: {containers: [{name: c, resources: {requests: {cpu: " +
          std::to_string(cpu) + "}}}]}}");
      EXPECT_EQ(ranking.Rank(pod, 1, random).best.size(), cpu <= 20 ? 1U : 0U);
    }
  }
}

}  // namespace
}  // namespace vicinal
