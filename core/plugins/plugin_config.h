// The arguments of all plugins, as written in the pluginConfig of a profile in
// KubeSchedulerConfiguration v1:
//   [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 5}}, …]
// Source: pkg/scheduler/apis/config (v1/defaults.go, validation/) and
// k8s.io/kube-scheduler/config/v1.
#ifndef VICINAL_CORE_PLUGINS_PLUGIN_CONFIG_H_
#define VICINAL_CORE_PLUGINS_PLUGIN_CONFIG_H_

#include "absl/status/status.h"
#include "core/model/json.h"
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

  friend bool operator==(const PluginConfig&, const PluginConfig&) = default;
};

// Reads the list and validates it as the scheduler does. Errors: unknown and
// repeated plugins, args of another kind, unknown fields, invalid values. The
// args of upstream's plugins that neither filter nor score here
// (DefaultPreemption, VolumeBinding, DynamicResources) are skipped.
absl::Status Decode(JsonValue value, const JsonPath& path, PluginConfig* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PLUGIN_CONFIG_H_
