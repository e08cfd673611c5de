#include "core/engine/profile.h"

#include "core/plugins/plugin_config.h"
#include "core/plugins/registry.h"

namespace vicinal {

Profile TopologyProfile(const PodTopologySpreadArgs& spread,
                        const InterPodAffinityArgs& affinity) {
  PluginConfig config;
  config.pod_topology_spread = spread;
  config.inter_pod_affinity = affinity;
  Profile profile;
  for (const PluginRow& row : Plugins()) {
    if (!row.taken_over) continue;
    profile.filters.push_back(row.filter(config));
    profile.scores.push_back({row.score(config), row.weight});
  }
  return profile;
}

}  // namespace vicinal
