// The cause finders of the filter plugins, by the plugins' names.
#ifndef VICINAL_CORE_EXPLAIN_CAUSE_FINDERS_H_
#define VICINAL_CORE_EXPLAIN_CAUSE_FINDERS_H_

#include <memory>
#include <string_view>

#include "core/explain/cause_finder.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

// Null for what is no filter plugin of core/plugins/registry.h; a refusal is
// then its own cause. The finder refers to what it was made from.
std::unique_ptr<CauseFinder> MakeCauseFinder(std::string_view plugin,
                                             const ClusterState& cluster,
                                             const PluginConfig& config,
                                             const PodInfo& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_CAUSE_FINDERS_H_
