#include "server/scheduler_config/profiles_file.h"

#include "absl/status/status.h"
#include "server/scheduler_config/config_file.h"
#include "server/scheduler_config/scheduler_config.h"

namespace vicinal {

absl::StatusOr<SchedulerProfiles> ReadProfilesFile(
    const std::string& path, bool advise_only,
    const KubernetesRelease& release) {
  if (path.empty()) return SchedulerProfiles(release);
  const absl::StatusOr<SchedulerConfig> config = ReadConfigFile(path, release);
  if (!config.ok()) return config.status();
  absl::StatusOr<SchedulerProfiles> profiles =
      SchedulerProfiles::FromConfig(*config, advise_only);
  if (profiles.ok()) return profiles;
  return absl::Status(profiles.status().code(),
                      path + ": " + std::string(profiles.status().message()));
}

absl::StatusOr<SchedulerProfiles> ReadProfilesForAnswers(
    const std::string& path, const KubernetesRelease& release,
    std::vector<std::string>& warnings) {
  absl::StatusOr<SchedulerProfiles> profiles =
      ReadProfilesFile(path, false, release);
  if (profiles.ok()) return profiles;
  absl::StatusOr<SchedulerProfiles> without_weights =
      ReadProfilesFile(path, true, release);
  if (without_weights.ok()) {
    warnings.push_back("scores are by the default weights: " +
                       std::string(profiles.status().message()));
  }
  return without_weights;
}

}  // namespace vicinal
