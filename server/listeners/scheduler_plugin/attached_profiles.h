// What vicinal runs for a scheduler that has attached itself.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ATTACHED_PROFILES_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ATTACHED_PROFILES_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/engine/profile.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "server/scheduler_config/scheduler_config.h"
#include "vicinal/v1/scheduler_plugin.pb.h"

namespace vicinal {

struct AttachedProfile {
  std::unique_ptr<PodTopologySpread> pod_topology_spread;
  std::unique_ptr<InterPodAffinity> inter_pod_affinity;
  // The filters of the scheduler, as far as vicinal has them, and all its score
  // plugins.
  Profile all;
  // Why `all` does not say which nodes are the best; empty: it does.
  std::string declined;
};

// By the name of the scheduler, which is never empty.
using AttachedProfiles = std::map<std::string, AttachedProfile>;

// The profiles of `hello`, with the arguments of `config`.
//
// A profile declines if it has a filter that may refuse any pod, or a score
// plugin, that vicinal does not have. Those of the scheduler's own filters that
// only judge pods with ports, volumes, claims and the like are no reason: the
// scheduler's plugin does not ask for the best node for such a pod. Nor are
// VolumeBinding and DynamicResources at their default weights.
//
// Errors, FailedPrecondition: another release than vicinal knows; a profile
// that is in one of the two only; another weight. They name the profile, the
// plugin and both values.
absl::StatusOr<AttachedProfiles> AttachProfiles(const v1::Hello& hello,
                                                const SchedulerConfig& config);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ATTACHED_PROFILES_H_
