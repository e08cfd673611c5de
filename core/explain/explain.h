// Explains for one pod which nodes it could go to, and why not to the others.
//
//   const Explanation explanation =
//       Explain(cluster, DefaultProfile(config), config, pod);
//   for (const CauseGroup& group : explanation.groups) …
#ifndef VICINAL_CORE_EXPLAIN_EXPLAIN_H_
#define VICINAL_CORE_EXPLAIN_EXPLAIN_H_

#include <string_view>

#include "core/engine/profile.h"
#include "core/explain/complete_filters.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

// The ports, volumes and gates of the pod and of the cluster, and the filters
// that look at them.
struct ExplainExtras {
  const PodExtras& pod;
  const ClusterExtras& cluster;
  const CompleteFilters& filters;
};

// Verdicts, reasons and scores are those of RunFilterPlugins and
// RunScorePlugins over all nodes of the cluster; `config` is what the profile
// was made with. The filter plugins are then asked one by one about the nodes
// that are refused, so that a node has the causes of all plugins that refuse
// it, not only of the first.
//
// `path_prefix` precedes the paths of the pod's rules, for a pod that is the
// template of a workload: "spec.template.".
//
// The pod counts as one that is not in the cluster: take it out first if it is
// on a node.
//
// With `extras` their filters run in place of the profile's. Cost: O(nodes ×
// plugins + pods of the cluster × rules of the pod).
Explanation Explain(const ClusterState& cluster, const Profile& profile,
                    const PluginConfig& config, const PodInfo& pod,
                    std::string_view path_prefix = "",
                    const ExplainExtras* extras = nullptr);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_EXPLAIN_H_
