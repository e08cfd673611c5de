// The profiles of a scheduler's configuration file.
#ifndef VICINAL_SERVER_SCHEDULER_CONFIG_PROFILES_FILE_H_
#define VICINAL_SERVER_SCHEDULER_CONFIG_PROFILES_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {

// Reads a KubeSchedulerConfiguration; without a path the default profile for
// every pod. Errors, which begin with the path: those of ReadSchedulerConfig
// and of SchedulerProfiles::FromConfig.
absl::StatusOr<SchedulerProfiles> ReadProfilesFile(
    const std::string& path, bool advise_only,
    const KubernetesRelease& release = {});

// The same to explain and to simulate by. Scores that vicinal does not have are
// left out, with a warning: whether a pod fits does not depend on them.
absl::StatusOr<SchedulerProfiles> ReadProfilesForAnswers(
    const std::string& path, const KubernetesRelease& release,
    std::vector<std::string>& warnings);

}  // namespace vicinal

#endif  // VICINAL_SERVER_SCHEDULER_CONFIG_PROFILES_FILE_H_
