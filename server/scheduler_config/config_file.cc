#include "server/scheduler_config/config_file.h"

#include "absl/status/status.h"
#include "server/kubernetes/read_file.h"

namespace vicinal {

absl::StatusOr<SchedulerConfig> ReadConfigFile(
    const std::string& path, const KubernetesRelease& release) {
  const absl::StatusOr<std::string> text = ReadSmallFile(path);
  absl::StatusOr<SchedulerConfig> config =
      text.ok() ? ReadSchedulerConfig(*text, release) : text.status();
  if (config.ok()) return config;
  return absl::Status(config.status().code(),
                      path + ": " + std::string(config.status().message()));
}

}  // namespace vicinal
