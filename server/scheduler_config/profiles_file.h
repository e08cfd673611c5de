// The profiles of a scheduler's configuration file.
#ifndef VICINAL_SERVER_SCHEDULER_CONFIG_PROFILES_FILE_H_
#define VICINAL_SERVER_SCHEDULER_CONFIG_PROFILES_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {

// Reads a KubeSchedulerConfiguration; without a path the default profile for
// every pod. Errors, which begin with the path: those of ReadSchedulerConfig
// and of SchedulerProfiles::FromConfig.
absl::StatusOr<SchedulerProfiles> ReadProfilesFile(
    const std::string& path, bool advise_only,
    const KubernetesRelease& release = {});

}  // namespace vicinal

#endif  // VICINAL_SERVER_SCHEDULER_CONFIG_PROFILES_FILE_H_
