// Many threads ask at once, each about things that nobody has asked before, so
// that all of them make the index ready for their questions; between the
// rounds the cluster changes. The sanitizers look for races, the test compares
// the answers.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/profile.h"
#include "core/engine/run_plugins.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

constexpr int kNodes = 40;
constexpr int kApps = 12;
constexpr int kThreads = 4;

PodInfo Incoming(int app) {
  const std::string selector =
      absl::StrCat("{matchLabels: {app: a", app, "}}, topologyKey: ");
  return MakePod(absl::StrCat(
      "{metadata: {name: new, labels: {app: a", app, "}}, spec: {",
      "nodeSelector: {disk: d", app % 2, "}, ", "affinity: {podAntiAffinity: {",
      "requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: ",
      selector, "kubernetes.io/hostname}], ",
      "preferredDuringSchedulingIgnoredDuringExecution: [{weight: ", app + 1,
      ", podAffinityTerm: {labelSelector: ", selector, "zone}}]}}, ",
      "topologySpreadConstraints: [",
      "{maxSkew: 9, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, ",
      "labelSelector: {matchLabels: {app: a", app, "}}}, ",
      "{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway, ",
      "labelSelector: {matchLabels: {app: a", app, "}}}]}}"));
}

std::string Answer(const Profile& profile, const ClusterState& cluster,
                   const PodInfo& pod) {
  const FilterOutcome filtered =
      RunFilterPlugins(profile, cluster, pod, cluster.Nodes());
  const ScoreOutcome scored =
      RunScorePlugins(profile, cluster, pod, cluster.Nodes());
  std::string answer;
  for (std::size_t i = 0; i < filtered.statuses.size(); ++i) {
    absl::StrAppend(&answer, filtered.statuses[i].Message(), " ",
                    scored.totals[i], "; ");
  }
  return answer;
}

void AddPodOf(ClusterState& cluster, int number) {
  AddPod(cluster, absl::StrCat("n", number * 7 % kNodes),
         absl::StrCat("{metadata: {name: p", number, ", labels: {app: a",
                      number % kApps, "}}}"));
}

TEST(IndexConcurrencyTest, ManyThreadsAskWhatNobodyAskedBefore) {
  const Profile profile =
      TopologyProfile(PodTopologySpreadArgs(), InterPodAffinityArgs());
  ClusterState cluster;
  for (int i = 0; i < kNodes; ++i) {
    const std::string name = absl::StrCat("n", i);
    AddNode(cluster, name,
            Labels{{"kubernetes.io/hostname", name},
                   {"zone", absl::StrCat("z", i % 3)},
                   {"rack", absl::StrCat("r", i % 10)},
                   {"disk", absl::StrCat("d", i % 2)}});
  }
  int pods = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) AddPodOf(cluster, pods++);
    std::vector<std::vector<std::string>> answers(kThreads);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kApps; ++i) {
          answers[thread].push_back(
              Answer(profile, cluster, Incoming((i + thread) % kApps)));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();

    // An index that has had the same events and no question before.
    ClusterState fresh;
    for (const NodeInfo* node : cluster.Nodes()) fresh.Upsert(*node->node);
    cluster.ForEachPod(
        [&fresh](const StoredPod& pod) { fresh.Upsert(pod.ToPod()); });
    for (int thread = 0; thread < kThreads; ++thread) {
      for (int i = 0; i < kApps; ++i) {
        ASSERT_EQ(answers[thread][i],
                  Answer(profile, fresh, Incoming((i + thread) % kApps)));
      }
    }
  }
}

}  // namespace
}  // namespace vicinal
