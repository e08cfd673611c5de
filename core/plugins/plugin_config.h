// The arguments of all plugins, as written in the pluginConfig of a profile in
// KubeSchedulerConfiguration v1:
//   [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 5}}, …]
// read_plugin_config.h reads it.
#ifndef VICINAL_CORE_PLUGINS_PLUGIN_CONFIG_H_
#define VICINAL_CORE_PLUGINS_PLUGIN_CONFIG_H_

#include "core/model/kubernetes_release.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"
#include "core/plugins/nodeaffinity/nodeaffinity_args.h"
#include "core/plugins/noderesources/noderesources_args.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"

namespace vicinal {

// Plugins that are not mentioned have upstream's defaults.
struct PluginConfig {
  InterPodAffinityArgs inter_pod_affinity;
  PodTopologySpreadArgs pod_topology_spread;
  NodeResourcesFitArgs node_resources_fit;
  NodeResourcesBalancedAllocationArgs node_resources_balanced_allocation;
  NodeAffinityArgs node_affinity;
  // The scheduler's, which decides about the order of the default filters.
  KubernetesRelease release;

  friend bool operator==(const PluginConfig&, const PluginConfig&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PLUGIN_CONFIG_H_
