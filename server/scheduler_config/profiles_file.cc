#include "server/scheduler_config/profiles_file.h"

#include "server/kubernetes/read_file.h"
#include "server/scheduler_config/scheduler_config.h"

namespace vicinal {

absl::StatusOr<SchedulerProfiles> ReadProfilesFile(const std::string& path,
                                                   bool advise_only) {
  if (path.empty()) return SchedulerProfiles();
  const auto prefixed = [&path](const absl::Status& status) {
    return absl::Status(status.code(),
                        path + ": " + std::string(status.message()));
  };
  const absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) return prefixed(text.status());
  const absl::StatusOr<SchedulerConfig> config = ReadSchedulerConfig(*text);
  if (!config.ok()) return prefixed(config.status());
  absl::StatusOr<SchedulerProfiles> profiles =
      SchedulerProfiles::FromConfig(*config, advise_only);
  if (!profiles.ok()) return prefixed(profiles.status());
  return profiles;
}

}  // namespace vicinal
