#include "server/scheduler_config/plugin_sets.h"

#include <algorithm>
#include <set>

namespace vicinal {
namespace {

// The plugins of the default profile, in its order. Only those with a weight
// score.
struct DefaultPlugin {
  std::string_view name;
  std::int64_t weight = 0;  // As written there; 0: none.
  bool scores = weight != 0;
};
constexpr DefaultPlugin kDefaultPlugins[] = {
    {"SchedulingGates"},
    {"PrioritySort"},
    {"NodeName"},
    {"NodeUnschedulable"},
    {"TaintToleration", 3},
    {"NodeAffinity", 2},
    {"NodePorts"},
    {"DeferredPodScheduling"},
    {"NodeResourcesFit", 1},
    {"VolumeRestrictions"},
    {"NodeVolumeLimits"},
    {"VolumeBinding", 0, true},
    {"VolumeZone"},
    {"PodTopologySpread", 2},
    {"InterPodAffinity", 2},
    {"DynamicResources", 2},
    {"DefaultPreemption"},
    {"NodeResourcesBalancedAllocation", 1},
    {"ImageLocality", 1},
    {"DefaultBinder"},
    {"NodeDeclaredFeatures"},
    // Behind feature gates that are off by default.
    {"GangScheduling"},
    {"TopologyPlacementGenerator"},
    {"PodGroupPodsCount"},
};

const DefaultPlugin* FindDefault(std::string_view name) {
  const auto* const found =
      std::ranges::find(kDefaultPlugins, name, &DefaultPlugin::name);
  return found == std::end(kDefaultPlugins) ? nullptr : found;
}

bool MayScore(std::string_view name) {
  const DefaultPlugin* plugin = FindDefault(name);
  return plugin == nullptr || plugin->scores;
}

// mergePluginSet for multiPoint.
std::vector<WeightedPlugin> MergeWithDefaults(const PluginSet& multi_point) {
  std::vector<WeightedPlugin> custom = multi_point.enabled;
  std::vector<WeightedPlugin> merged;
  const auto is_disabled = [&](std::string_view name) {
    return std::ranges::find(multi_point.disabled, name) !=
           multi_point.disabled.end();
  };
  if (!is_disabled("*")) {
    for (const DefaultPlugin& plugin : kDefaultPlugins) {
      if (is_disabled(plugin.name)) continue;
      const auto given =
          std::ranges::find(custom, plugin.name, &WeightedPlugin::name);
      if (given == custom.end()) {
        merged.push_back({std::string(plugin.name), plugin.weight});
      } else {
        merged.push_back(*given);
        custom.erase(given);
      }
    }
  }
  merged.insert(merged.end(), custom.begin(), custom.end());
  return merged;
}

}  // namespace

std::int64_t DefaultScoreWeight(std::string_view name) {
  const DefaultPlugin* plugin = FindDefault(name);
  if (plugin == nullptr || !plugin->scores) return 0;
  return std::max<std::int64_t>(plugin->weight, 1);
}

std::vector<WeightedPlugin> ResolveScorePlugins(const PluginSet& multi_point,
                                                const PluginSet& score) {
  std::vector<WeightedPlugin> resolved = score.enabled;
  std::set<std::string> taken(score.disabled.begin(), score.disabled.end());
  if (!taken.contains("*")) {
    for (const WeightedPlugin& plugin : score.enabled) {
      taken.insert(plugin.name);
    }
    for (const WeightedPlugin& plugin : MergeWithDefaults(multi_point)) {
      if (MayScore(plugin.name) && taken.insert(plugin.name).second) {
        resolved.push_back(plugin);
      }
    }
  }
  for (WeightedPlugin& plugin : resolved) {
    if (plugin.weight == 0) plugin.weight = 1;
  }
  return resolved;
}

}  // namespace vicinal
