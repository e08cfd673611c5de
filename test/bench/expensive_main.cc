// What the pods cost whose rules are the most expensive that an API server
// takes:
//   expensive_bench [--nodes N] [--pods N] [--bytes N]
// A pod with as many rules of a kind as are answered for is asked about. One
// with as many as fit into --bytes of etcd's request is put on a node, an
// ordinary pod is asked about beside it, and it is deleted. Fails if the memory
// does not come back, never because of a time.
#include <jemalloc/jemalloc.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod_rules.h"
#include "core/plugins/candidate_nodes.h"
#include "test/bench/bench_question.h"
#include "test/bench/generated_cluster.h"
#include "test/bench/measure.h"
#include "test/bench/record_result.h"

namespace vicinal {
namespace {

constexpr double kTargetMilliseconds = 10;
// Beyond this, what a pod took must come back when it is deleted. Some tables
// of the index keep the room for as many entries as they had once.
constexpr std::int64_t kSlackBytes = 12 << 20;
constexpr double kMegabyte = 1 << 20;
constexpr char kHostname[] = "kubernetes.io/hostname";

// Fills a pod with about `bytes` of rules.
struct Kind {
  const char* name;
  std::function<void(std::int64_t bytes, Pod& pod)> fill;
};

PodAffinityTerm Term(const char* op, std::string value) {
  PodAffinityTerm term;
  term.topology_key = kHostname;
  term.label_selector.emplace();
  LabelSelectorRequirement requirement;
  requirement.key = "app";
  requirement.op = op;
  requirement.values.push_back(std::move(value));
  term.label_selector->match_expressions.push_back(std::move(requirement));
  return term;
}

// About what a term takes in etcd's request.
constexpr std::int64_t kTermBytes = 50;

std::vector<PodAffinityTerm> Terms(std::int64_t bytes, const char* op) {
  std::vector<PodAffinityTerm> terms;
  for (std::int64_t i = 0; i < bytes / kTermBytes; ++i) {
    terms.push_back(Term(op, "x" + std::to_string(i)));
  }
  return terms;
}

std::vector<WeightedPodAffinityTerm> Weighted(std::int64_t bytes,
                                              const char* op) {
  std::vector<WeightedPodAffinityTerm> weighted;
  for (PodAffinityTerm& term : Terms(bytes, op)) {
    weighted.push_back({1, std::move(term)});
  }
  return weighted;
}

Affinity& AffinityOf(Pod& pod) {
  return pod.spec.affinity ? *pod.spec.affinity : pod.spec.affinity.emplace();
}

std::vector<Kind> Kinds() {
  return {
      {"anti-affinity, matches nothing",
       [](std::int64_t bytes, Pod& pod) {
         AffinityOf(pod).pod_anti_affinity.emplace().required =
             Terms(bytes, "In");
       }},
      {"anti-affinity, matches everything",
       [](std::int64_t bytes, Pod& pod) {
         AffinityOf(pod).pod_anti_affinity.emplace().required =
             Terms(bytes, "NotIn");
       }},
      {"anti-affinity, all namespaces",
       [](std::int64_t bytes, Pod& pod) {
         auto& terms = AffinityOf(pod).pod_anti_affinity.emplace().required;
         terms = Terms(bytes, "NotIn");
         for (PodAffinityTerm& term : terms) term.namespace_selector.emplace();
       }},
      {"anti-affinity, a label of all pods",
       [](std::int64_t bytes, Pod& pod) {
         auto& terms = AffinityOf(pod).pod_anti_affinity.emplace().required;
         terms = Terms(bytes / 2, "NotIn");
         for (PodAffinityTerm& term : terms) {
           term.label_selector->match_labels.Set("app.kubernetes.io/managed-by",
                                                 "Helm");
           term.namespace_selector.emplace();
         }
       }},
      {"affinity, matches only itself",
       [](std::int64_t bytes, Pod& pod) {
         pod.meta.labels.Set("alone", "x");
         auto& terms = AffinityOf(pod).pod_affinity.emplace().required;
         terms = Terms(bytes, "NotIn");
         for (PodAffinityTerm& term : terms) {
           term.label_selector->match_labels.Set("alone", "x");
         }
       }},
      {"affinity, matches everything",
       [](std::int64_t bytes, Pod& pod) {
         AffinityOf(pod).pod_affinity.emplace().required =
             Terms(bytes, "NotIn");
       }},
      {"preferred, matches everything",
       [](std::int64_t bytes, Pod& pod) {
         AffinityOf(pod).pod_anti_affinity.emplace().preferred =
             Weighted(bytes, "NotIn");
       }},
      {"one selector, many values",
       [](std::int64_t bytes, Pod& pod) {
         PodAffinityTerm term = Term("NotIn", "x");
         auto& values = term.label_selector->match_expressions[0].values;
         for (std::int64_t i = 0; i < bytes / 10; ++i) {
           values.push_back("x" + std::to_string(i));
         }
         AffinityOf(pod).pod_anti_affinity.emplace().required = {term};
       }},
      {"one selector, many requirements",
       [](std::int64_t bytes, Pod& pod) {
         PodAffinityTerm term = Term("NotIn", "x");
         auto& all = term.label_selector->match_expressions;
         for (std::int64_t i = 0; i < bytes / 25; ++i) {
           all.push_back(all[0]);
           all.back().values = {"x" + std::to_string(i)};
         }
         AffinityOf(pod).pod_anti_affinity.emplace().required = {term};
       }},
      {"topology spread, many keys",
       [](std::int64_t bytes, Pod& pod) {
         for (std::int64_t i = 0; i < bytes / 40; ++i) {
           TopologySpreadConstraint constraint;
           constraint.topology_key = "k" + std::to_string(i);
           constraint.max_skew = 1;
           constraint.when_unsatisfiable = "ScheduleAnyway";
           constraint.label_selector.emplace();
           pod.spec.topology_spread_constraints.push_back(constraint);
         }
       }},
      {"labels",
       [](std::int64_t bytes, Pod& pod) {
         std::vector<Labels::Entry> labels;
         for (std::int64_t i = 0; i < bytes / 20; ++i) {
           labels.emplace_back("k" + std::to_string(i), "v");
         }
         pod.meta.labels = Labels(std::move(labels));
       }},
  };
}

// What is allocated and not freed.
std::int64_t AllocatedBytes() {
  std::uint64_t epoch = 1;
  std::size_t size = sizeof epoch;
  mallctl("epoch", &epoch, &size, &epoch, size);
  std::size_t allocated = 0;
  size = sizeof allocated;
  mallctl("stats.allocated", &allocated, &size, nullptr, 0);
  return static_cast<std::int64_t>(allocated);
}

struct Asked {
  double first = 0;
  double again = 0;
};

// Both plugins, filter and score, over all nodes.
Asked Ask(const Profile& profile, const ClusterState& cluster, const Pod& pod) {
  const PodInfo info(pod);
  Asked asked;
  for (double* const time : {&asked.first, &asked.again}) {
    const Stopwatch watch;
    AskQuestion(profile, cluster, info, AllNodes(cluster), true);
    *time = watch.Read().cpu;
  }
  return asked;
}

// With as many rules as fit into `bytes`, and are answered for.
Pod Limited(const Kind& kind, const Pod& plain, std::int64_t bytes) {
  for (;;) {
    Pod pod = plain;
    kind.fill(bytes, pod);
    if (CheckRules(pod).ok()) return pod;
    bytes = bytes * 9 / 10;
  }
}

int Run(std::int64_t nodes, std::int64_t pods, std::int64_t bytes) {
  const GeneratedCluster source(nodes, pods, 0);
  ClusterState cluster;
  for (std::int64_t i = 0; i < GeneratedCluster::kNamespaces; ++i) {
    cluster.Upsert(source.NamespaceAt(i));
  }
  for (std::int64_t i = 0; i < nodes; ++i) cluster.Upsert(source.NodeAt(i));
  for (std::int64_t i = 0; i < pods; ++i) cluster.Upsert(source.PodAt(i));
  const Profile profile = BenchProfile();
  const Pod ordinary = source.EverythingPod(0);
  Ask(profile, cluster, ordinary);

  std::printf(
      "%lld nodes, %lld pods, rules of %lld bytes; ms of CPU, target %.0f\n",
      static_cast<long long>(nodes), static_cast<long long>(pods),
      static_cast<long long>(bytes), kTargetMilliseconds);
  std::printf(
      "| %-34s | %8s | %8s | %8s | %8s | %8s | %8s | %8s | %8s | %8s | %8s |\n",
      "kind", "first", "again", "cached", "put", "changed", "removed",
      "ordinary", "beside", "MB more", "MB left");
  bool kept = false;
  for (const Kind& kind : Kinds()) {
    Pod pod = source.PendingPodAt(0);
    pod.meta.name = "expensive";
    pod.meta.uid = "expensive";
    pod.spec.affinity.reset();
    pod.spec.topology_spread_constraints.clear();
    const auto at_first = AllocatedBytes();
    const Asked asked = Ask(profile, cluster, Limited(kind, pod, bytes));
    const auto before = AllocatedBytes();
    const Asked plain = Ask(profile, cluster, ordinary);
    kind.fill(bytes, pod);
    const Stopwatch watch;
    pod.spec.node_name = source.NodeAt(0).meta.name;
    cluster.Upsert(pod);
    const double put = watch.Read().cpu;
    const auto during = AllocatedBytes();
    const Asked beside = Ask(profile, cluster, ordinary);
    // As a deletion begins: the pod is another one to the index.
    pod.meta.deletion_timestamp = "2026-01-01T00:00:00Z";
    const Stopwatch change;
    cluster.Upsert(pod);
    const double changed = change.Read().cpu;
    const Stopwatch removal;
    cluster.Remove<Pod>({pod.meta.namespace_name, pod.meta.name});
    const double removed = removal.Read().cpu;
    pod = Pod();
    Ask(profile, cluster, ordinary);
    const auto after = AllocatedBytes();
    const auto megabytes = [](std::int64_t bytes_more) {
      return static_cast<double>(bytes_more) / kMegabyte;
    };
    std::printf(
        "| %-34s | %8.2f | %8.2f | %8.1f | %8.2f | %8.2f | %8.2f | %8.2f | "
        "%8.2f | %8.1f | %8.1f |\n",
        kind.name, asked.first, asked.again, megabytes(before - at_first), put,
        changed, removed, plain.again, beside.first, megabytes(during - before),
        megabytes(after - before));
    if (!RecordResult("expensive", kind.name,
                      {{"first_ms", asked.first},
                       {"again_ms", asked.again},
                       {"put_ms", put},
                       {"changed_ms", changed},
                       {"beside_ms", beside.first}})) {
      return 1;
    }
    if (after - before > kSlackBytes) {
      std::printf("  memory has not come back\n");
      kept = true;
    }
  }
  return kept ? 1 : 0;
}

}  // namespace
}  // namespace vicinal

int main(int argc, char** argv) {
  CLI::App app("What the most expensive pods cost.");
  std::int64_t nodes = 5000;
  std::int64_t pods = 150'000;
  std::int64_t bytes = 1'500'000;
  app.add_option("--nodes", nodes)->check(CLI::PositiveNumber);
  app.add_option("--pods", pods)->check(CLI::PositiveNumber);
  app.add_option("--bytes", bytes)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return vicinal::Run(nodes, pods, bytes);
}
