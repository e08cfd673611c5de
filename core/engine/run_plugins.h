// Runs a profile's plugins for one pod over candidate nodes, as the scheduler
// does in one scheduling cycle.
//
// Source: pkg/scheduler/framework/runtime/framework.go and
// findNodesThatFitPod in pkg/scheduler/schedule_one.go; unlike there every
// candidate is looked at.
#ifndef VICINAL_CORE_ENGINE_RUN_PLUGINS_H_
#define VICINAL_CORE_ENGINE_RUN_PLUGINS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/node_info.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/framework.h"
#include "core/plugins/node_statuses.h"
#include "core/plugins/status.h"

namespace vicinal {

// What the filters say.
struct FilterOutcome {
  // Not a success if a PreFilter refused all nodes, or the question is in
  // error; `statuses` then repeat it for each node.
  Status pre_filter;
  // For each candidate, in order: success, or what the first plugin that
  // refused it said.
  NodeStatuses statuses;
};

// Runs the filters over `nodes`. Nominated pods of the same or a higher
// priority count as running on their node, and the filters must pass both with
// and without them.
// Cost: that of the plugins' PreFilter, plus nodes × filters.
FilterOutcome RunFilterPlugins(const Profile& profile,
                               const ClusterState& cluster, const PodInfo& pod,
                               const CandidateNodes& nodes);
// What they say about one node.
Status FilterOneNode(const Profile& profile, const ClusterState& cluster,
                     const PodInfo& pod, const NodeInfo& node);

// What a score plugin says, for each node in order.
struct PluginScores {
  std::string_view plugin;
  std::int64_t weight = 1;
  std::vector<std::int64_t> raw;
  std::vector<std::int64_t> normalized;  // 0 … kMaxNodeScore
};

struct ScoreOutcome {
  Status status;                      // Success or Error.
  std::vector<PluginScores> plugins;  // Without those that skip.
  std::vector<std::int64_t> totals;   // Σ weight × normalized, per node.
};

// Runs the score plugins over the nodes that passed the filters.
// Cost: that of the plugins' PreScore, plus nodes × plugins.
ScoreOutcome RunScorePlugins(const Profile& profile,
                             const ClusterState& cluster, const PodInfo& pod,
                             const CandidateNodes& nodes);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_RUN_PLUGINS_H_
