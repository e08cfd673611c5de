// How many replicas of a workload fit, and what stops the next one.
#ifndef VICINAL_CORE_EXPLAIN_REPLICAS_H_
#define VICINAL_CORE_EXPLAIN_REPLICAS_H_

#include <cstddef>
#include <optional>
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

// One replica of a workload; all that is referred to must outlive the call.
struct ReplicaQuestion {
  const PodInfo& pod;
  const PodExtras& extras;
  const CompleteFilters& filters;
  const Profile& profile;  // Its scores choose.
  const PluginConfig& config;
  std::string_view path_prefix;
};

struct ReplicaAnswer {
  std::size_t asked = 0;
  std::size_t placed = 0;
  std::optional<Explanation> next;  // Of the first that does not fit.
};

// Places one replica after the other on the node with the most points, of
// several the first in natural order. The cluster and its extras are changed
// and changed back. Cost: O(asked × nodes × plugins).
ReplicaAnswer PlaceReplicas(const ReplicaQuestion& question, std::size_t asked,
                            ClusterState& cluster, ClusterExtras& extras);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_REPLICAS_H_
