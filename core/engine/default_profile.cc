#include "core/engine/default_profile.h"

#include "core/plugins/registry.h"

namespace vicinal {

Profile DefaultProfile(const PluginConfig& config) {
  Profile profile;
  for (const PluginRow& row : Plugins(config.release)) {
    if (row.filter != nullptr) profile.filters.push_back(row.filter(config));
    if (row.score != nullptr) {
      profile.scores.push_back({row.score(config), row.weight});
    }
  }
  return profile;
}

}  // namespace vicinal
