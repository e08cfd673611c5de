// Reads the list pluginConfig of a profile in KubeSchedulerConfiguration v1.
// Source: pkg/scheduler/apis/config (v1/defaults.go, validation/) and
// k8s.io/kube-scheduler/config/v1.
#ifndef VICINAL_CORE_PLUGINS_READ_PLUGIN_CONFIG_H_
#define VICINAL_CORE_PLUGINS_READ_PLUGIN_CONFIG_H_

#include "absl/status/status.h"
#include "core/model/json.h"
#include "core/plugins/plugin_config.h"

namespace vicinal {

// Reads the list and validates it as the scheduler does. Errors: unknown and
// repeated plugins, args of another kind, unknown fields, invalid values. The
// args of upstream's plugins that vicinal does not have are skipped.
absl::Status Decode(JsonValue value, const JsonPath& path, PluginConfig* out);

// Sets the release, and refuses what its scheduler refuses and not each does.
absl::Status SetRelease(const KubernetesRelease& release, const JsonPath& path,
                        PluginConfig& config);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_READ_PLUGIN_CONFIG_H_
