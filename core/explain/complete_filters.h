// All filters of a scheduler for one pod, and what none of them looks at.
#ifndef VICINAL_CORE_EXPLAIN_COMPLETE_FILTERS_H_
#define VICINAL_CORE_EXPLAIN_COMPLETE_FILTERS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/profile.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

struct CompleteFilters {
  Profile profile;                   // Without scores.
  std::vector<std::string> checked;  // Plugins.
  std::vector<NotChecked> not_checked;
};

// The filters that `runs` says run, in the scheduler's order, with those for
// ports and volumes, which look into the extras; these, `extras` of the pod and
// `cluster_extras`, must outlive the profile. A plugin that lacks what it has
// to look at for this pod is not in the profile, and is told as not checked.
// Cost: O(plugins + claims), with volumes O(pods that have extras + volumes).
CompleteFilters MakeCompleteFilters(
    const PluginConfig& config,
    const std::function<bool(std::string_view plugin)>& runs,
    const PodInfo& pod, const PodExtras& extras,
    const ClusterExtras& cluster_extras);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_COMPLETE_FILTERS_H_
