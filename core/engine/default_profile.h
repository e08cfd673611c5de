// The stock scheduler's default profile, as far as vicinal has its plugins.
#ifndef VICINAL_CORE_ENGINE_DEFAULT_PROFILE_H_
#define VICINAL_CORE_ENGINE_DEFAULT_PROFILE_H_

#include "core/engine/profile.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

// The plugins of core/plugins/registry.h, without those for ports, volumes and
// resource claims, which vicinal does not have.
Profile DefaultProfile(const PluginConfig& config);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_DEFAULT_PROFILE_H_
