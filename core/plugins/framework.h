// What a scheduler plugin is: the extension points that vicinal runs.
//
// The order of the calls for one pod is
//
//   PreFilter (Filter | WithPods Filter)* PreScore (Score* Normalize)?
//
// PreFilter and PreScore look at the cluster once and return an object that
// answers per node; it refers to the plugin, the cluster and the pod it was
// made from, and must not outlive any of them. All of it is const and
// thread-safe as long as the cluster does not change.
// Source: k8s.io/kube-scheduler/framework/interface.go.
#ifndef VICINAL_CORE_PLUGINS_FRAMEWORK_H_
#define VICINAL_CORE_PLUGINS_FRAMEWORK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/node_statuses.h"
#include "core/plugins/status.h"

namespace vicinal {

inline constexpr std::int64_t kMaxNodeScore = 100;

// A filter made ready for one pod.
class PreparedFilter {
 public:
  virtual ~PreparedFilter() = default;

  virtual Status Filter(const NodeInfo& node) const = 0;

  // The same for many nodes: sets the status of each that is still a success
  // and does not pass. `statuses` are those of `nodes`, in order.
  virtual void FilterNodes(const CandidateNodes& nodes,
                           NodeStatuses& statuses) const;

  // The same filter in a world where `added` is on `node` as well
  // (PreFilterExtensions.AddPod on a clone of the state). Null if the pods that
  // are there do not matter to the plugin: then this filter serves.
  virtual std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added, const NodeInfo& node) const {
    (void)added;
    (void)node;
    return nullptr;
  }
};

struct PreFilterResult {
  // Success, Skip (the plugin does not run for this pod), or why no node at all
  // will do.
  Status status;
  // Set if only these nodes are worth asking about.
  std::optional<std::vector<std::string>> node_names;
  std::unique_ptr<PreparedFilter> filter;  // Set on success.
};

class FilterPlugin {
 public:
  virtual ~FilterPlugin() = default;
  virtual std::string_view Name() const = 0;
  virtual PreFilterResult PreFilter(const ClusterState& cluster,
                                    const PodInfo& pod) const = 0;
};

// A scorer made ready for one pod and the nodes that passed the filters.
class PreparedScore {
 public:
  virtual ~PreparedScore() = default;

  // The raw score of a node out of those given to PreScore.
  virtual std::int64_t Score(const NodeInfo& node) const = 0;

  // The same for many nodes, in their order.
  virtual void ScoreNodes(const CandidateNodes& nodes,
                          std::span<std::int64_t> scores) const;

  // Turns the raw scores of the nodes given to PreScore, in their order, into
  // 0 … kMaxNodeScore.
  virtual void Normalize(const CandidateNodes& nodes,
                         std::span<std::int64_t> scores) const {
    (void)nodes;
    (void)scores;
  }
};

struct PreScoreResult {
  Status status;                         // Success, Skip or Error.
  std::unique_ptr<PreparedScore> score;  // Set on success.
};

class ScorePlugin {
 public:
  virtual ~ScorePlugin() = default;
  virtual std::string_view Name() const = 0;
  virtual PreScoreResult PreScore(const ClusterState& cluster,
                                  const PodInfo& pod,
                                  const CandidateNodes& nodes) const = 0;
};

// helper.DefaultNormalizeScore: scales the scores so that the largest becomes
// kMaxNodeScore, in integers; if `reverse`, the smallest wins. All zero stays
// zero, reversed becomes kMaxNodeScore.
// Source: pkg/scheduler/framework/plugins/helper/normalize_score.go.
void DefaultNormalizeScore(bool reverse, std::span<std::int64_t> scores);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_FRAMEWORK_H_
