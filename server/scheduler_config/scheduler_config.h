// The scheduler's own configuration file, as far as it says how to score:
//   apiVersion: kubescheduler.config.k8s.io/v1
//   kind: KubeSchedulerConfiguration
// Source: k8s.io/kube-scheduler/config/v1/types.go.
#ifndef VICINAL_SERVER_SCHEDULER_CONFIG_SCHEDULER_CONFIG_H_
#define VICINAL_SERVER_SCHEDULER_CONFIG_SCHEDULER_CONFIG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/kubernetes_release.h"
#include "core/plugins/plugin_config.h"
#include "server/scheduler_config/plugin_sets.h"

namespace vicinal {

struct SchedulerConfig {
  struct Profile {
    std::string scheduler_name;
    std::vector<WeightedPlugin> score;  // That run, with their weights.
    // That may filter, by the names of those for which they stand.
    std::vector<std::string> filters;
    PluginConfig plugin_config;
  };
  struct Extender {
    std::string url_prefix;
    std::string filter_verb;
    std::string prioritize_verb;
    std::int64_t weight = 0;
  };

  KubernetesRelease release;      // Of the scheduler.
  std::vector<Profile> profiles;  // At least one.
  std::vector<Extender> extenders;
};

// Reads YAML or JSON. Fields that say nothing about scoring are not looked at.
// Errors name the field and the value: another apiVersion or kind, unknown
// fields in a profile, plugin arguments that the scheduler of `release` would
// refuse, two profiles of one name.
absl::StatusOr<SchedulerConfig> ReadSchedulerConfig(
    std::string_view text, const KubernetesRelease& release = {});

}  // namespace vicinal

#endif  // VICINAL_SERVER_SCHEDULER_CONFIG_SCHEDULER_CONFIG_H_
