// Builds a ClusterState of a very large cluster, asks it and changes it:
//   scale_bench [--nodes N] [--pods N] [--images N] [--events N]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"
#include "test/bench/bench_question.h"
#include "test/bench/generated_cluster.h"
#include "test/bench/measure.h"
#include "test/bench/record_result.h"

namespace vicinal {
namespace {

constexpr std::int64_t kBatch = 2000;  // Objects that exist beside the state.
constexpr double kMebibyte = 1 << 20;

void PrintTarget(const char* what, bool met) {
  std::printf("  target %s: %s\n", what, met ? "met" : "missed");
}

double MedianCpu(const std::vector<Elapsed>& times) {
  std::vector<double> cpu;
  for (const Elapsed& elapsed : times) cpu.push_back(elapsed.cpu);
  return Median(std::move(cpu));
}

// CPU time is what the question takes; wall time has the machine's noise in it.
void PrintTimes(const char* what, const std::vector<Elapsed>& times) {
  std::vector<double> wall;
  double max_cpu = 0, max_wall = 0;
  for (const Elapsed& elapsed : times) {
    wall.push_back(elapsed.wall);
    max_cpu = std::max(max_cpu, elapsed.cpu);
    max_wall = std::max(max_wall, elapsed.wall);
  }
  std::printf(
      "%s: CPU median %.2f ms, max %.2f ms; wall median %.2f ms, "
      "max %.2f ms\n",
      what, MedianCpu(times), max_cpu, Median(wall), max_wall);
}

Elapsed Build(const GeneratedCluster& source, ClusterState& cluster) {
  Elapsed elapsed;
  std::vector<Object> batch;
  const auto flush = [&] {
    const Stopwatch stopwatch;
    for (Object& object : batch) cluster.Upsert(std::move(object));
    batch.clear();
    elapsed += stopwatch.Read();
  };
  const auto add = [&](Object object) {
    batch.push_back(std::move(object));
    if (batch.size() == kBatch) flush();
  };
  for (std::int64_t i = 0; i < GeneratedCluster::kNamespaces; ++i) {
    add(source.NamespaceAt(i));
  }
  for (std::int64_t i = 0; i < source.nodes(); ++i) add(source.NodeAt(i));
  for (std::int64_t i = 0; i < source.pods(); ++i) add(source.PodAt(i));
  flush();
  return elapsed;
}

struct QuestionTimes {
  std::vector<Elapsed> cold;  // A pod of a workload that was not asked before.
  std::vector<Elapsed> warm;
};

// Asks about pods of several workloads in turn; before each question one pod of
// that workload goes or comes back.
QuestionTimes AskEverything(const GeneratedCluster& source,
                            ClusterState& cluster) {
  constexpr std::int64_t kWorkloads = 16;
  constexpr int kRounds = 6;
  const Profile profile = BenchProfile();
  const CandidateNodes nodes = AllNodes(cluster);
  QuestionTimes times;
  for (int round = 0; round < kRounds; ++round) {
    for (std::int64_t i = 0; i < kWorkloads; ++i) {
      const Pod everything = source.EverythingPod(i);
      const std::int64_t workload = i * 20;
      Pod replica = source.PodAt(workload * GeneratedCluster::kPodsPerWorkload);
      if (round % 2 == 0) {
        cluster.Remove<Pod>(KeyOf(replica.meta));
      } else {
        cluster.Upsert(std::move(replica));
      }
      const PodInfo pod(everything);
      const Stopwatch stopwatch;
      const BenchAnswer answer =
          AskQuestion(profile, cluster, pod, nodes, /*feasible_only=*/false);
      const Elapsed elapsed = stopwatch.Read();
      (round == 0 ? times.cold : times.warm).push_back(elapsed);
      if (answer.score.totals.size() != nodes.size()) {
        std::fprintf(stderr, "scale_bench: no scores: %s\n",
                     answer.score.status.Message().c_str());
        std::exit(1);
      }
    }
  }
  return times;
}

// An upsert, or a removal.
struct Event {
  std::optional<Pod> pod;
  ObjectKey removed;
};

// Turns of six events, as they come in a cluster where pods are replaced: a pod
// goes, a new one is created, bound and runs, and one that stays gets a new
// label and loses it.
std::vector<Event> MakeEvents(const GeneratedCluster& source,
                              std::int64_t first_turn, std::int64_t turns) {
  std::vector<Event> events;
  events.reserve(static_cast<std::size_t>(turns * 6));
  for (std::int64_t turn = first_turn; turn < first_turn + turns; ++turn) {
    // Far apart, so that the events meet different nodes and workloads.
    const std::int64_t gone = turn * 7919 % source.pods();
    events.push_back({std::nullopt, KeyOf(source.PodAt(gone).meta)});
    // The pod is replaced by one of the same workload and node.
    Pod created = source.PendingPodAt(gone);
    created.meta.uid.back() = created.meta.uid.back() == 'f' ? '0' : 'f';
    Pod bound = created;
    bound.spec.node_name = source.PodAt(gone).spec.node_name;
    Pod running = bound;
    running.status.phase = "Running";
    events.push_back({std::move(created), {}});
    events.push_back({std::move(bound), {}});
    events.push_back({std::move(running), {}});
    Pod stays = source.PodAt((gone + source.pods() / 2) % source.pods());
    Pod relabelled = stays;
    relabelled.meta.labels.Set("canary", "true");
    events.push_back({std::move(relabelled), {}});
    events.push_back({std::move(stays), {}});
  }
  return events;
}

Elapsed ApplyEvents(const GeneratedCluster& source, std::int64_t count,
                    ClusterState& cluster) {
  // Few at a time: an event that comes from a watch has just been decoded, and
  // is in the processor's cache when it is applied.
  constexpr std::int64_t kTurns = 20;
  Elapsed elapsed;
  for (std::int64_t done = 0; done < count; done += kTurns * 6) {
    std::vector<Event> events = MakeEvents(source, done / 6, kTurns);
    const Stopwatch stopwatch;
    for (Event& event : events) {
      if (event.pod) {
        cluster.Upsert(*std::move(event.pod));
      } else {
        cluster.Remove<Pod>(event.removed);
      }
    }
    elapsed += stopwatch.Read();
  }
  return elapsed;
}

int Main(int argc, char** argv) {
  std::int64_t nodes = 65000, pods = 2000000, images = 0, event_count = 600000;
  CLI::App app("Measures a ClusterState at scale.");
  app.add_option("--nodes", nodes)->check(CLI::PositiveNumber);
  app.add_option("--pods", pods)->check(CLI::PositiveNumber);
  app.add_option("--images", images, "images that each node reports");
  app.add_option("--events", event_count)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  const GeneratedCluster source(nodes, pods, images);
  ClusterState cluster;
  const Stopwatch total;
  const Elapsed build = Build(source, cluster);
  const double generating = total.Read().wall - build.wall;
  if (cluster.pod_count() != static_cast<std::size_t>(pods)) {
    std::fprintf(stderr, "scale_bench: %zu of %lld pods are there\n",
                 cluster.pod_count(), static_cast<long long>(pods));
    return 1;
  }
  const double rss = static_cast<double>(ResidentBytes());
  std::printf("%lld nodes with %lld images each, %lld pods\n",
              static_cast<long long>(nodes), static_cast<long long>(images),
              static_cast<long long>(pods));
  std::printf("build: %.1f s (%.1f s of CPU), without %.1f s of generating\n",
              build.wall / 1e3, build.cpu / 1e3, generating / 1e3);
  PrintTarget("at most 30 s (of CPU)", build.cpu <= 30e3);
  std::printf("memory: VmRSS %.0f MiB; VmRSS per pod %.0f B\n", rss / kMebibyte,
              rss / static_cast<double>(pods));
  PrintTarget("at most 1024 MiB", rss <= 1024 * kMebibyte);
  std::fflush(stdout);

  const QuestionTimes times = AskEverything(source, cluster);
  PrintTimes("everything, filter + score of all nodes", times.warm);
  PrintTarget("at most 5 ms (median of CPU)", MedianCpu(times.warm) <= 5);
  PrintTimes("  the first time for a workload", times.cold);
  std::fflush(stdout);

  const Elapsed events = ApplyEvents(source, event_count, cluster);
  const double per_second = static_cast<double>(event_count) / events.cpu * 1e3;
  std::printf("pod events: %.0f per second of CPU, %.0f per second of time\n",
              per_second, static_cast<double>(event_count) / events.wall * 1e3);
  PrintTarget("at least 500000 per second (of CPU)", per_second >= 500e3);
  std::printf("memory after %lld events and the questions: VmRSS %.0f MiB\n",
              static_cast<long long>(event_count),
              static_cast<double>(ResidentBytes()) / kMebibyte);
  if (cluster.pod_count() != static_cast<std::size_t>(pods)) {
    std::fprintf(stderr, "scale_bench: %zu pods after the events\n",
                 cluster.pod_count());
    return 1;
  }
  const bool recorded = RecordResult(
      "scale",
      std::to_string(nodes) + " nodes, " + std::to_string(pods) + " pods",
      {{"build CPU s", build.cpu / 1e3},
       {"MiB", rss / kMebibyte},
       {"question CPU ms", MedianCpu(times.warm)},
       {"pod events/CPU s", per_second}});
  return recorded ? 0 : 1;
}

}  // namespace
}  // namespace vicinal

int main(int argc, char** argv) { return vicinal::Main(argc, argv); }
