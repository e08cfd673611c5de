// Which score plugins a profile of kube-scheduler runs, and with which weights.
// Source: mergePlugins in pkg/scheduler/apis/config/v1/default_plugins.go, and
// expandMultiPointPlugins and getValidScoreWeights in
// pkg/scheduler/framework/runtime/framework.go.
#ifndef VICINAL_SERVER_SCHEDULER_CONFIG_PLUGIN_SETS_H_
#define VICINAL_SERVER_SCHEDULER_CONFIG_PLUGIN_SETS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal {

struct WeightedPlugin {
  std::string name;
  std::int64_t weight = 0;  // In a PluginSet, 0: not given.

  friend bool operator==(const WeightedPlugin&,
                         const WeightedPlugin&) = default;
};

// v1.PluginSet as written.
struct PluginSet {
  std::vector<WeightedPlugin> enabled;
  std::vector<std::string> disabled;
};

// The default weight of one of the scheduler's own score plugins; 0 for all
// other names.
std::int64_t DefaultScoreWeight(std::string_view name);

// The plugins that score, from what a profile says at multiPoint and at score,
// merged with the defaults. A plugin at multiPoint that is not the scheduler's
// own counts, since it may score.
std::vector<WeightedPlugin> ResolveScorePlugins(const PluginSet& multi_point,
                                                const PluginSet& score);

// The plugins that filter, by name, from what a profile says at multiPoint and
// at filter, merged with the defaults: the scheduler's own ones, of which some
// do other things only, and those that are not its own.
std::vector<std::string> ResolveFilterPlugins(const PluginSet& multi_point,
                                              const PluginSet& filter);

}  // namespace vicinal

#endif  // VICINAL_SERVER_SCHEDULER_CONFIG_PLUGIN_SETS_H_
