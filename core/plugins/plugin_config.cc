#include "core/plugins/plugin_config.h"

#include <set>
#include <string>
#include <string_view>

#include "core/plugins/plugin_args.h"
#include "core/plugins/plugin_entry.h"

namespace vicinal {
namespace {

bool IsSkipped(std::string_view plugin) {
  return plugin == "DefaultPreemption" || plugin == "VolumeBinding" ||
         plugin == "DynamicResources";
}

absl::Status DecodeArgs(const PluginEntry& entry, const JsonPath& path,
                        PluginConfig& config) {
  const auto read = [&](auto* args) {
    return JsonReader().ReadWith(
        simdjson::padded_string(entry.args), [&](JsonValue value) {
          return DecodePluginArgs(value, path.Field("args"), entry.name, args);
        });
  };
  if (entry.name == "InterPodAffinity") return read(&config.inter_pod_affinity);
  if (entry.name == "PodTopologySpread") {
    return read(&config.pod_topology_spread);
  }
  if (entry.name == "NodeResourcesFit") return read(&config.node_resources_fit);
  if (entry.name == "NodeResourcesBalancedAllocation") {
    return read(&config.node_resources_balanced_allocation);
  }
  if (entry.name == "NodeAffinity") return read(&config.node_affinity);
  if (IsSkipped(entry.name)) return absl::OkStatus();
  return FieldError(
      path.Field("name"),
      "no plugin with arguments has the name \"" + entry.name + "\"");
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
        return DecodeArgs(entry, where, *out);
      });
}

}  // namespace vicinal
