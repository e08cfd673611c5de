// Plans for a large cluster of which some pods break rules:
//   deschedule_bench [--nodes N] [--pods N] [--percent P]
// A quarter of those each: on a host with another replica, by required
// anti-affinity; on a tainted node; on a node that required node affinity does
// not select; too many in a zone for a topology spread constraint.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/deschedule/plan.h"
#include "core/deschedule/policy.h"
#include "core/engine/default_profile.h"
#include "core/index/cluster_state.h"
#include "core/plugins/plugin_config.h"
#include "test/bench/generated_cluster.h"
#include "test/bench/measure.h"
#include "test/bench/record_result.h"

namespace vicinal {
namespace {

constexpr double kTargetMilliseconds = 5000;

// Changes pods so that they break a rule, `count` of each kind.
class Breaker {
 public:
  Breaker(const GeneratedCluster& source, ClusterState& cluster)
      : source_(source), cluster_(cluster) {}

  // Where required anti-affinity by host allows one pod: two of a workload on
  // one node, for workloads in turn.
  void BreakAntiAffinity(std::int64_t count) {
    ForSomePods(
        count,
        [](const Pod& pod) {
          return pod.spec.affinity && pod.spec.affinity->pod_anti_affinity &&
                 !pod.spec.affinity->pod_anti_affinity->required.empty();
        },
        [this](Pod& pod, const Pod& sibling) {
          pod.spec.node_name = sibling.spec.node_name;
        });
  }

  void BreakNodeAffinity(std::int64_t count) {
    ForSomePods(
        count,
        [](const Pod& pod) {
          return !pod.spec.affinity &&
                 pod.spec.topology_spread_constraints.empty();
        },
        [this](Pod& pod, const Pod&) {
          const NodeInfo& node = *cluster_.FindNode(pod.spec.node_name);
          const std::string& zone = *node.labels().Find(kZoneLabel);
          for (const NodeInfo* other : cluster_.Nodes()) {
            const std::string& other_zone = *other->labels().Find(kZoneLabel);
            if (other_zone == zone) continue;
            pod.spec.node_selector.emplace().Set(kZoneLabel, other_zone);
            return;
          }
        });
  }

  // Puts pods of a workload to one after the other, so that its zone has too
  // many.
  void BreakSpread(std::int64_t count) {
    ForSomePods(
        count,
        [](const Pod& pod) {
          return !pod.spec.topology_spread_constraints.empty();
        },
        [this](Pod& pod, const Pod&) {
          // The zone is that of the workload's first pod.
          const std::int64_t first = index_ /
                                     GeneratedCluster::kPodsPerWorkload *
                                     GeneratedCluster::kPodsPerWorkload;
          pod.spec.node_name = source_.PodAt(first).spec.node_name;
        });
  }

  void TaintNodes(std::int64_t pods) {
    for (const std::string& name : NodeNames()) {
      if (pods <= 0) return;
      const NodeInfo& info = *cluster_.FindNode(name);
      pods -= static_cast<std::int64_t>(info.pods.size());
      Node node = *info.node;
      node.taints.push_back({"maintenance", "", kNoSchedule});
      cluster_.Upsert(std::move(node));
    }
  }

 private:
  std::vector<std::string> NodeNames() const {
    std::vector<std::string> names;
    for (const NodeInfo* node : cluster_.Nodes()) names.push_back(node->Name());
    return names;
  }

  // A few pods of each workload that is of the kind, until there are enough.
  void ForSomePods(std::int64_t count,
                   const std::function<bool(const Pod&)>& is_of_kind,
                   const std::function<void(Pod&, const Pod&)>& change) {
    constexpr std::int64_t kEach = 10;
    constexpr std::int64_t kStep = GeneratedCluster::kPodsPerWorkload;
    for (std::int64_t begin = 0; begin < source_.pods() && count > 0;
         begin += kStep) {
      if (!is_of_kind(source_.PodAt(begin))) continue;
      for (std::int64_t i = 1; i <= kEach && count > 0; ++i, --count) {
        index_ = begin + i;
        Pod pod = source_.PodAt(index_);
        change(pod, source_.PodAt(begin + kEach + i));
        cluster_.Upsert(std::move(pod));
      }
    }
  }

  const GeneratedCluster& source_;
  ClusterState& cluster_;
  std::int64_t index_ = 0;
};

bool Run(std::int64_t nodes, std::int64_t pods, double percent) {
  const GeneratedCluster source(nodes, pods, 0);
  ClusterState cluster;
  for (std::int64_t i = 0; i < GeneratedCluster::kNamespaces; ++i) {
    cluster.Upsert(source.NamespaceAt(i));
  }
  for (std::int64_t i = 0; i < nodes; ++i) cluster.Upsert(source.NodeAt(i));
  for (std::int64_t i = 0; i < pods; ++i) cluster.Upsert(source.PodAt(i));
  const auto each =
      static_cast<std::int64_t>(static_cast<double>(pods) * percent / 400);
  Breaker breaker(source, cluster);
  breaker.BreakAntiAffinity(each);
  breaker.BreakNodeAffinity(each);
  breaker.BreakSpread(each);
  breaker.TaintNodes(each);

  PlanOptions options;
  options.policy = DefaultPolicy();
  options.policy.max_per_owner.reset();
  const Profile profile = DefaultProfile(PluginConfig());
  const Stopwatch stopwatch;
  const Plan plan = MakePlan(profile, options, {}, cluster);
  const Elapsed elapsed = stopwatch.Read();
  std::printf("%lld nodes, %lld pods\n", static_cast<long long>(nodes),
              static_cast<long long>(pods));
  std::printf("  broken hard rules %lld -> %lld, skew %lld -> %lld\n",
              static_cast<long long>(plan.before.hard_violations),
              static_cast<long long>(plan.after.hard_violations),
              static_cast<long long>(plan.before.skew),
              static_cast<long long>(plan.after.skew));
  std::printf("  %zu evictions, %zu pods kept\n", plan.evictions.size(),
              plan.kept.size());
  std::printf("  plan: CPU %.0f ms, wall %.0f ms\n", elapsed.cpu, elapsed.wall);
  std::printf("  target at most %.0f ms of CPU: %s\n", kTargetMilliseconds,
              elapsed.cpu <= kTargetMilliseconds ? "met" : "missed");
  return RecordResult(
      "deschedule",
      std::to_string(nodes) + " nodes, " + std::to_string(pods) + " pods",
      {{"plan CPU ms", elapsed.cpu},
       {"evictions", static_cast<double>(plan.evictions.size())}});
}

}  // namespace
}  // namespace vicinal

int main(int argc, char** argv) {
  CLI::App app("Plans for a large cluster of which some pods break rules.");
  std::int64_t nodes = 5000;
  std::int64_t pods = 150000;
  double percent = 1;
  app.add_option("--nodes", nodes)->capture_default_str();
  app.add_option("--pods", pods)->capture_default_str();
  app.add_option("--percent", percent, "of the pods that break a rule")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return vicinal::Run(nodes, pods, percent) ? 0 : 1;
}
