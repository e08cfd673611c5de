// The score plugins by their names.
#ifndef VICINAL_CORE_ENGINE_SCORE_PLUGINS_H_
#define VICINAL_CORE_ENGINE_SCORE_PLUGINS_H_

#include <memory>
#include <string_view>

#include "core/plugins/framework.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

// Null if vicinal has no score plugin of that name.
std::unique_ptr<ScorePlugin> MakeScorePlugin(std::string_view name,
                                             const PluginConfig& config);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_SCORE_PLUGINS_H_
