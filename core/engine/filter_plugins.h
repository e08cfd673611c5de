// The filter plugins that vicinal has, by name.
#ifndef VICINAL_CORE_ENGINE_FILTER_PLUGINS_H_
#define VICINAL_CORE_ENGINE_FILTER_PLUGINS_H_

#include <memory>
#include <string_view>

#include "core/plugins/framework.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

// Null if vicinal does not have the plugin.
std::unique_ptr<FilterPlugin> MakeFilterPlugin(std::string_view name,
                                               const PluginConfig& config);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_FILTER_PLUGINS_H_
