// How the benchmarks ask vicinal: the two topology plugins, both filter and
// score, on the calling thread.
#ifndef VICINAL_TEST_BENCH_BENCH_QUESTION_H_
#define VICINAL_TEST_BENCH_BENCH_QUESTION_H_

#include <utility>

#include "core/engine/profile.h"
#include "core/engine/run_plugins.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {

struct BenchAnswer {
  FilterOutcome filter;
  ScoreOutcome score;  // Of all nodes, or of those that passed the filters.
};

inline Profile BenchProfile() {
  return TopologyProfile(PodTopologySpreadArgs(), InterPodAffinityArgs());
}

// Not inlined, so that a profiler can tell it from what surrounds it.
[[gnu::noinline]] inline BenchAnswer AskQuestion(const Profile& profile,
                                                 const ClusterState& cluster,
                                                 const PodInfo& pod,
                                                 const CandidateNodes& nodes,
                                                 bool feasible_only) {
  BenchAnswer answer;
  answer.filter = RunFilterPlugins(profile, cluster, pod, nodes);
  if (!feasible_only) {
    answer.score = RunScorePlugins(profile, cluster, pod, nodes);
    return answer;
  }
  const SelectedNodes selected(nodes, answer.filter.statuses.Passed());
  answer.score = RunScorePlugins(profile, cluster, pod, selected.candidates());
  return answer;
}

}  // namespace vicinal

#endif  // VICINAL_TEST_BENCH_BENCH_QUESTION_H_
