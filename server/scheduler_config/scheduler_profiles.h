// What vicinal runs for the pods of each scheduler.
#ifndef VICINAL_SERVER_SCHEDULER_CONFIG_SCHEDULER_PROFILES_H_
#define VICINAL_SERVER_SCHEDULER_CONFIG_SCHEDULER_PROFILES_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/engine/profile.h"
#include "core/plugins/plugin_config.h"
#include "server/scheduler_config/scheduler_config.h"

namespace vicinal {

struct SchedulerProfile {
  // The two plugins that vicinal takes over, as filters and with their default
  // weights as scores: what prioritize adds to the scheduler's own scores.
  Profile topology;
  // The same filters with all score plugins: what the scheduler would choose
  // by.
  Profile decide;
  // All filters that vicinal has, with their arguments, and the default scores:
  // to find out whether a pod fits a node that was not offered.
  Profile all;
  // NodeResourcesFit alone, as a filter.
  Profile resources;
  // What a pod is explained by: all filters with the scores of `decide`, or in
  // advise those that the profile has, with their default weights. Without the
  // plugins that the profile has disabled, unless vicinal is an extender, and
  // so takes them over.
  Profile explain;
  // The filters that run in the scheduler, or in vicinal for it, by name.
  std::set<std::string, std::less<>> filters;
  // What filters in it and vicinal does not have: plugins, and extenders by
  // their URLs.
  std::vector<std::string> other_filters;
  // The arguments of the plugins in all of these.
  PluginConfig plugin_config;
};

// Immutable, and so thread-safe.
class SchedulerProfiles {
 public:
  // The default profile for every pod.
  SchedulerProfiles() : SchedulerProfiles(KubernetesRelease()) {}
  // That of a release.
  explicit SchedulerProfiles(const KubernetesRelease& release);

  // The profiles of a scheduler's configuration, each for the pods that name
  // it.
  //
  // In decide the weights are the resolved ones of the profile.
  // PodTopologySpread and InterPodAffinity, which the profile has disabled
  // because vicinal takes them over, have their default weight 2; if vicinal's
  // extender entry has a prioritizeVerb, so that the other weights are to be
  // multiplied by 10, then 2 × 10 × the entry's weight. Where the profile has
  // them enabled, their weights count as any other's.
  //
  // Error, unless `advise_only`: what makes a choice by these scores another
  // than the scheduler's own. That is a score plugin that vicinal does not
  // have; an extender that filters after vicinal or that adds scores.
  // VolumeBinding and DynamicResources are let pass without a score at their
  // default weights (× 10 × the extender's as above): they score only pods with
  // volumes that are yet to be provisioned, or with resource claims.
  static absl::StatusOr<SchedulerProfiles> FromConfig(
      const SchedulerConfig& config, bool advise_only);

  // Null if no profile has the name. An empty name is that of the default
  // scheduler.
  const SchedulerProfile* Find(const std::string& scheduler_name) const;

  // One line for each profile, with the plugins that decide, for the log.
  std::string Describe() const;

 private:
  SchedulerProfile any_;
  bool has_config_ = false;
  std::map<std::string, SchedulerProfile> by_name_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_SCHEDULER_CONFIG_SCHEDULER_PROFILES_H_
