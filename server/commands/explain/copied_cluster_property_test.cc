// Random small clusters with a history: what is said of pods on a copy is what
// is said on the original, though objects came there in another order, and some
// have gone since.
//
// A failing cluster prints its seed; VICINAL_SEED=<seed> runs it alone, and
// VICINAL_HISTORIES=<n> runs more of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/engine/profile.h"
#include "core/explain/explain.h"
#include "core/index/pod_info.h"
#include "core/testing/dice.h"
#include "core/testing/objects.h"
#include "server/commands/explain/explanation_report.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_store.h"
#include "server/state/store_parts.h"

namespace vicinal {
namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

// Makes up objects out of few names, so that they meet.
class ObjectDice : public Dice {
 public:
  using Dice::Dice;

  Node SomeNode() {
    Node node =
        MakeNode(absl::StrCat("n", Below(6)), {{"zone", Of({"a", "b"})}});
    node.meta.labels.Set("kubernetes.io/hostname", node.meta.name);
    for (const char* const name : {"x:1", "y:1", "z:1"}) {
      // The nodes do not agree about the size.
      if (Chance(60)) {
        node.images.push_back({{name}, Of({100, 400, 900}) * kMegabyte});
      }
    }
    node.allocatable["cpu"] = *Quantity::Parse("4");
    node.allocatable["pods"] = *Quantity::Parse("8");
    if (Chance(10)) node.taints = {{"t", "", kNoSchedule}};
    return node;
  }

  Pod SomePod() {
    const auto term = [this] {
      return absl::StrCat(
          "{topologyKey: ", Of({"zone", "kubernetes.io/hostname"}),
          ", labelSelector: {matchLabels: {app: ", Of({"web", "db"}), "}}}");
    };
    constexpr char kRequired[] =
        "{requiredDuringSchedulingIgnoredDuringExecution: [";
    std::string affinity;
    if (Chance(25)) {
      absl::StrAppend(&affinity, "podAffinity: ", kRequired, term(), "]},");
    }
    if (Chance(40)) {
      absl::StrAppend(&affinity, "podAntiAffinity: ", kRequired, term(), "]}");
    }
    std::string spread;
    if (Chance(30)) {
      spread =
          "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
          "labelSelector: {matchLabels: {app: web}}}";
    }
    Pod pod = ParsePod(
        absl::StrCat("{metadata: {labels: {app: ", Of({"web", "db"}),
                     "}}, spec: {affinity: {", affinity,
                     "}, topologySpreadConstraints: [", spread, "]}}"));
    pod.meta.name = absl::StrCat("p", Below(12));
    pod.meta.uid = pod.meta.name;
    Container& container = pod.spec.containers.emplace_back();
    container.image = Of({"x:1", "y:1", "z:1"});
    container.requests["cpu"] = *Quantity::Parse("500m");
    return pod;
  }

  // One more event of the cluster.
  void Change(ClusterState& cluster) {
    const std::string node = absl::StrCat("n", Below(6));
    switch (Below(8)) {
      case 0:
        return cluster.Remove<Node>({"", node});
      case 1:
        return cluster.Remove<Pod>({"default", absl::StrCat("p", Below(12))});
      case 2:
      case 3:
      case 4:
        return cluster.Upsert(SomeNode());
      default:
        Pod pod = SomePod();
        if (Chance(80)) {
          pod.spec.node_name = node;
        } else if (Chance(50)) {
          pod.status.nominated_node_name = node;
          pod.spec.priority = 10;
        }
        cluster.Upsert(std::move(pod));
    }
  }
};

std::string Explained(const ClusterState& cluster,
                      const SchedulerProfile& profile, const Pod& pod) {
  const PodInfo info(pod);
  Answer answer;
  answer.question.kind = "Pod";
  answer.question.object = KeyOf(pod.meta);
  answer.question.pod = pod;
  answer.explanation =
      Explain(cluster, profile.explain, profile.plugin_config, info);
  return ToJson({answer}, {}).dump(1);
}

TEST(CopiedClusterPropertyTest, ExplainsAsTheOriginalDoes) {
  const SchedulerProfiles profiles;
  const SchedulerProfile& profile = *profiles.Find("");
  Seeds seeds = Seeds::FromEnvironment();
  if (!seeds.is_replay) seeds.count = (seeds.count + 9) / 10;
  for (std::uint64_t i = 0; i < seeds.count; ++i) {
    ObjectDice dice(seeds.first + i);
    SCOPED_TRACE(absl::StrCat("VICINAL_SEED=", seeds.first + i));
    ClusterStore store;
    store.Write([&dice](ClusterState& cluster) {
      for (int event = 0; event < 40; ++event) dice.Change(cluster);
    });
    ClusterState copy;
    CopyInParts(store, copy);
    for (int question = 0; question < 3; ++question) {
      Pod pod = dice.SomePod();
      pod.meta.name = "asker";
      pod.meta.uid = "asker";
      const std::string original = store.Read([&](const ClusterState& cluster) {
        return Explained(cluster, profile, pod);
      });
      ASSERT_EQ(Explained(copy, profile, pod), original);
    }
  }
}

}  // namespace
}  // namespace vicinal
