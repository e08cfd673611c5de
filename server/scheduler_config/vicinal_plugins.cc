#include "server/scheduler_config/vicinal_plugins.h"

#include <nlohmann/json.hpp>

namespace vicinal {

std::string_view InTreeName(std::string_view plugin) {
  if (plugin == "VicinalInterPodAffinity") return "InterPodAffinity";
  if (plugin == "VicinalPodTopologySpread") return "PodTopologySpread";
  return plugin;
}

std::string AsInTreeEntry(std::string_view json) {
  auto entry = nlohmann::json::parse(json);
  entry["name"] = InTreeName(entry["name"].get<std::string>());
  const auto args = entry.find("args");
  if (args != entry.end() && args->is_object()) args->erase("vicinal");
  return entry.dump();
}

}  // namespace vicinal
