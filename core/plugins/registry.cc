#include "core/plugins/registry.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/model/json.h"
#include "core/plugins/imagelocality/imagelocality.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/nodeaffinity/nodeaffinity.h"
#include "core/plugins/nodename/nodename.h"
#include "core/plugins/noderesources/balanced_allocation.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/nodeunschedulable/nodeunschedulable.h"
#include "core/plugins/plugin_args.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/plugins/tainttoleration/tainttoleration.h"

namespace vicinal {
namespace {

// `Args`: the member of PluginConfig that the plugin is made with, if any.
template <typename Plugin, auto... Args>
std::unique_ptr<FilterPlugin> Filter(
    [[maybe_unused]] const PluginConfig& config) {
  return std::make_unique<Plugin>(config.*Args...);
}

template <typename Plugin, auto... Args>
std::unique_ptr<ScorePlugin> Score(
    [[maybe_unused]] const PluginConfig& config) {
  return std::make_unique<Plugin>(config.*Args...);
}

template <auto Args>
absl::Status Read(std::string_view json, const JsonPath& path,
                  std::string_view plugin, PluginConfig& config) {
  return JsonReader().ReadWith(
      simdjson::padded_string(json), [&](JsonValue value) {
        return DecodePluginArgs(value, path, plugin, &(config.*Args));
      });
}

// Of upstream's plugins that vicinal does not have.
absl::Status SkipArgs(std::string_view, const JsonPath&, std::string_view,
                      PluginConfig&) {
  return absl::OkStatus();
}

constexpr auto kFit = &PluginConfig::node_resources_fit;
constexpr auto kBalance = &PluginConfig::node_resources_balanced_allocation;
constexpr auto kNodeAffinity = &PluginConfig::node_affinity;
constexpr auto kSpread = &PluginConfig::pod_topology_spread;
constexpr auto kPodAffinity = &PluginConfig::inter_pod_affinity;

constexpr PluginRow kPlugins[] = {
    {.name = "SchedulingGates"},
    {.name = "PrioritySort"},
    {.name = NodeName::kName, .node_local = true, .filter = Filter<NodeName>},
    {.name = NodeUnschedulable::kName,
     .node_local = true,
     .filter = Filter<NodeUnschedulable>},
    {.name = TaintToleration::kName,
     .weight = 3,
     .node_local = true,
     .filter = Filter<TaintToleration>,
     .score = Score<TaintToleration>},
    {.name = NodeAffinityPlugin::kName,
     .weight = 2,
     .node_local = true,
     .filter = Filter<NodeAffinityPlugin, kNodeAffinity>,
     .score = Score<NodeAffinityPlugin, kNodeAffinity>,
     .read_args = Read<kNodeAffinity>},
    {.name = "NodePorts", .of_few_pods = true},
    {.name = "DeferredPodScheduling"},
    {.name = NodeResourcesFit::kName,
     .weight = 1,
     .node_local = true,
     .filter = Filter<NodeResourcesFit, kFit>,
     .score = Score<NodeResourcesFit, kFit>,
     .read_args = Read<kFit>},
    {.name = "VolumeRestrictions", .of_few_pods = true},
    {.name = "NodeVolumeLimits", .of_few_pods = true},
    {.name = "VolumeBinding",
     .scores = true,
     .of_few_pods = true,
     .read_args = SkipArgs},
    {.name = "VolumeZone", .of_few_pods = true},
    {.name = PodTopologySpread::kName,
     .weight = 2,
     .taken_over = true,
     .filter = Filter<PodTopologySpread, kSpread>,
     .score = Score<PodTopologySpread, kSpread>,
     .read_args = Read<kSpread>},
    {.name = InterPodAffinity::kName,
     .weight = 2,
     .taken_over = true,
     .filter = Filter<InterPodAffinity, kPodAffinity>,
     .score = Score<InterPodAffinity, kPodAffinity>,
     .read_args = Read<kPodAffinity>},
    {.name = "DynamicResources",
     .weight = 2,
     .of_few_pods = true,
     .read_args = SkipArgs},
    {.name = "DefaultPreemption", .read_args = SkipArgs},
    {.name = NodeResourcesBalancedAllocation::kName,
     .weight = 1,
     .node_local = true,
     .score = Score<NodeResourcesBalancedAllocation, kBalance>,
     .read_args = Read<kBalance>},
    {.name = ImageLocality::kName, .weight = 1, .score = Score<ImageLocality>},
    {.name = "DefaultBinder"},
    {.name = "NodeDeclaredFeatures", .of_few_pods = true},
    // Behind feature gates that are off by default.
    {.name = "GangScheduling"},
    {.name = "TopologyPlacementGenerator"},
    {.name = "PodGroupPodsCount"},
};

// Up to 1.36.
constexpr auto kPluginsBefore = [] {
  auto plugins = std::to_array(kPlugins);
  const auto row = [&plugins](std::string_view name) -> PluginRow& {
    return *std::ranges::find(plugins, name, &PluginRow::name);
  };
  std::swap(row(NodeName::kName), row(NodeUnschedulable::kName));
  return plugins;
}();

}  // namespace

std::span<const PluginRow> Plugins(const KubernetesRelease& release) {
  if (release.node_name_narrows) return kPlugins;
  return kPluginsBefore;
}

const PluginRow* FindPlugin(std::string_view name) {
  const auto* const found = std::ranges::find(kPlugins, name, &PluginRow::name);
  return found == std::end(kPlugins) ? nullptr : found;
}

}  // namespace vicinal
