#include "server/scheduler_config/vicinal_plugins.h"

#include <nlohmann/json.hpp>

#include "core/plugins/registry.h"

namespace vicinal {

std::string_view InTreeName(std::string_view plugin) {
  constexpr std::string_view kPrefix = "Vicinal";
  if (!plugin.starts_with(kPrefix)) return plugin;
  const PluginRow* row = FindPlugin(plugin.substr(kPrefix.size()));
  return row != nullptr && row->taken_over ? row->name : plugin;
}

std::string AsInTreeEntry(std::string_view json) {
  auto entry = nlohmann::json::parse(json);
  entry["name"] = InTreeName(entry["name"].get<std::string>());
  const auto args = entry.find("args");
  if (args != entry.end() && args->is_object()) args->erase("vicinal");
  return entry.dump();
}

}  // namespace vicinal
