#include "core/plugins/read_plugin_config.h"

#include <set>
#include <string>

#include "core/plugins/plugin_entry.h"
#include "core/plugins/registry.h"

namespace vicinal {
namespace {

absl::Status ReadArgs(const PluginEntry& entry, const JsonPath& path,
                      PluginConfig& config) {
  const PluginRow* plugin = FindPlugin(entry.name);
  if (plugin == nullptr || plugin->read_args == nullptr) {
    return FieldError(
        path.Field("name"),
        "no plugin with arguments has the name \"" + entry.name + "\"");
  }
  return plugin->read_args(entry.args, path.Field("args"), entry.name, config);
}

}  // namespace

absl::Status Decode(JsonValue value, const JsonPath& path, PluginConfig* out) {
  *out = PluginConfig();
  std::set<std::string> seen;
  return ForEachElement(
      value, path, [&](JsonValue element, const JsonPath& where) {
        PluginEntry entry;
        if (absl::Status status = Decode(element, where, &entry);
            !status.ok()) {
          return status;
        }
        if (!seen.insert(entry.name).second) {
          return FieldError(where, "repeated config for plugin " + entry.name);
        }
        return ReadArgs(entry, where, *out);
      });
}

absl::Status SetRelease(const KubernetesRelease& release, const JsonPath& path,
                        PluginConfig& config) {
  config.release = release;
  const ScoringStrategy& strategy = config.node_resources_fit.scoring_strategy;
  if (release.ratio_only_with_its_type && !strategy.shape.empty() &&
      strategy.type != ScoringStrategy::kRequestedToCapacityRatio) {
    return FieldError(path,
                      "NodeResourcesFit: "
                      "scoringStrategy.requestedToCapacityRatio: Forbidden: "
                      "must be nil when type is not RequestedToCapacityRatio");
  }
  return absl::OkStatus();
}

}  // namespace vicinal
