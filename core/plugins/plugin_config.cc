#include "core/plugins/plugin_config.h"

#include <set>
#include <string>
#include <string_view>

#include "core/plugins/plugin_args.h"

namespace vicinal {
namespace {

// An entry of the list. The args are kept as text, because the name that says
// how to read them may come after them.
struct Entry {
  std::string name;
  std::string args = "{}";
};

absl::Status Decode(JsonValue value, const JsonPath& path, Entry* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key != "args") return FieldError(where, "unknown field");
        if (IsNull(field)) return absl::OkStatus();
        simdjson::ondemand::object object;
        if (field.get_object().get(object) != simdjson::SUCCESS) {
          return TypeError(where, "an object", field);
        }
        std::string_view text;
        if (const auto error = object.raw_json().get(text)) {
          return SyntaxError(where, error);
        }
        out->args = text;
        return absl::OkStatus();
      });
}

bool IsSkipped(std::string_view plugin) {
  return plugin == "DefaultPreemption" || plugin == "VolumeBinding" ||
         plugin == "DynamicResources";
}

absl::Status DecodeArgs(const Entry& entry, const JsonPath& path,
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
        Entry entry;
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
