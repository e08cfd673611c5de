// Reads the arguments of one plugin.
#ifndef VICINAL_CORE_PLUGINS_PLUGIN_ARGS_H_
#define VICINAL_CORE_PLUGINS_PLUGIN_ARGS_H_

#include <string_view>

#include "absl/status/status.h"
#include "core/model/json.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"
#include "core/plugins/nodeaffinity/nodeaffinity_args.h"
#include "core/plugins/noderesources/noderesources_args.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"

namespace vicinal {

// Fields that are absent, null or, where upstream defaults them, zero get the
// default. `kind` and `apiVersion` may be absent; `plugin` names the plugin in
// the error about a wrong kind. What is read is validated.
absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              InterPodAffinityArgs* out);
absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              PodTopologySpreadArgs* out);
absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              NodeResourcesFitArgs* out);
absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              NodeResourcesBalancedAllocationArgs* out);
absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin, NodeAffinityArgs* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PLUGIN_ARGS_H_
