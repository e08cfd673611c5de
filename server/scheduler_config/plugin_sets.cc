#include "server/scheduler_config/plugin_sets.h"

#include <algorithm>
#include <set>

#include "core/plugins/registry.h"

namespace vicinal {
namespace {

bool MayScore(std::string_view name) {
  const PluginRow* plugin = FindPlugin(name);
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
    for (const PluginRow& plugin : Plugins()) {
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
  const PluginRow* plugin = FindPlugin(name);
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

std::vector<std::string> ResolveFilterPlugins(const PluginSet& multi_point,
                                              const PluginSet& filter) {
  std::vector<std::string> names;
  const std::set<std::string> disabled(filter.disabled.begin(),
                                       filter.disabled.end());
  const auto add = [&names](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const WeightedPlugin& plugin : filter.enabled) add(plugin.name);
  if (disabled.contains("*")) return names;
  for (const WeightedPlugin& plugin : MergeWithDefaults(multi_point)) {
    if (!disabled.contains(plugin.name)) add(plugin.name);
  }
  return names;
}

}  // namespace vicinal
