// The plugins of the scheduler's default profile: one row for each, which
// profiles, the readers of configurations and explanations work from.
//
// To add a plugin: its folder, its row, and, if it filters, its row in
// core/explain/cause_finders.cc.
#ifndef VICINAL_CORE_PLUGINS_REGISTRY_H_
#define VICINAL_CORE_PLUGINS_REGISTRY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "core/model/json_path.h"
#include "core/plugins/framework.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

struct PluginRow {
  using MakeFilter = std::unique_ptr<FilterPlugin>(const PluginConfig& config);
  using MakeScore = std::unique_ptr<ScorePlugin>(const PluginConfig& config);
  // Reads the plugin's arguments, which are JSON and stand at `path`, into its
  // part of the config.
  using ReadArgs = absl::Status(std::string_view json, const JsonPath& path,
                                std::string_view plugin, PluginConfig& config);

  std::string_view name;
  std::int64_t weight = 0;  // As upstream writes it; 0: none.
  bool scores = weight != 0;
  // The scheduler's own one is to be disabled, since vicinal answers for it.
  bool taken_over = false;
  // Nothing matters to it but the pod and the NodeInfo.
  bool node_local = false;
  // Vicinal does not have it. It passes each node and scores nothing, unless
  // the pod has ports, volumes, claims or needs features.
  bool of_few_pods = false;
  // Null where the plugin does not do it, or vicinal does not have the plugin.
  MakeFilter* filter = nullptr;
  MakeScore* score = nullptr;
  ReadArgs* read_args = nullptr;  // Null: it has no arguments.
};

// In the order of that release. Also those that vicinal does not have, with
// their weights.
// Source: getDefaultPlugins in pkg/scheduler/apis/config/v1/default_plugins.go.
std::span<const PluginRow> Plugins(const KubernetesRelease& release = {});

// Null if the default profile has no plugin of that name. Cost: O(plugins).
const PluginRow* FindPlugin(std::string_view name);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_REGISTRY_H_
