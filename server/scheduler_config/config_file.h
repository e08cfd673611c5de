// A scheduler's configuration file.
#ifndef VICINAL_SERVER_SCHEDULER_CONFIG_CONFIG_FILE_H_
#define VICINAL_SERVER_SCHEDULER_CONFIG_CONFIG_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/scheduler_config/scheduler_config.h"

namespace vicinal {

// Reads a KubeSchedulerConfiguration. Errors, which begin with the path: a file
// that cannot be read, and those of ReadSchedulerConfig.
absl::StatusOr<SchedulerConfig> ReadConfigFile(
    const std::string& path, const KubernetesRelease& release = {});

}  // namespace vicinal

#endif  // VICINAL_SERVER_SCHEDULER_CONFIG_CONFIG_FILE_H_
