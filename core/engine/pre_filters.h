// The first half of filtering: what the plugins say of a pod before they see
// any node.
#ifndef VICINAL_CORE_ENGINE_PRE_FILTERS_H_
#define VICINAL_CORE_ENGINE_PRE_FILTERS_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/framework.h"
#include "core/plugins/status.h"

namespace vicinal {

struct NamedFilter {
  std::string_view plugin;
  std::unique_ptr<PreparedFilter> filter;
};

// The result of all PreFilters.
struct PreFilters {
  // Not a success if no node will do, or the question is in error.
  Status status;
  std::vector<NamedFilter> filters;  // Without those that skip.
  // If only some nodes are worth asking: their names, and who said so.
  std::optional<std::set<std::string>> node_names;
  std::set<std::string> restricting_plugins;
};

// Cost: that of the plugins' PreFilter.
// Source: RunPreFilterPlugins in pkg/scheduler/framework/runtime/framework.go.
PreFilters RunPreFilters(const Profile& profile, const ClusterState& cluster,
                         const PodInfo& pod);

// Go's fmt %v of a list of strings: [a b].
std::string Listed(const std::set<std::string>& names);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_PRE_FILTERS_H_
