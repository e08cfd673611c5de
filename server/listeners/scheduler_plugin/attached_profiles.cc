#include "server/listeners/scheduler_plugin/attached_profiles.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/kubernetes_release.h"
#include "core/plugins/registry.h"
#include "server/scheduler_config/plugin_sets.h"

namespace vicinal {
namespace {

absl::Status Refused(const std::string& scheduler_name,
                     const std::string& problem) {
  return absl::FailedPreconditionError(
      absl::StrCat("hello.profiles[", scheduler_name, "]: ", problem));
}

absl::Status CheckWeights(const v1::SchedulingProfile& told,
                          const SchedulerConfig::Profile& known) {
  const std::string& scheduler = told.scheduler_name();
  auto rest = std::map<std::string, std::int64_t>(told.score_weights().begin(),
                                                  told.score_weights().end());
  for (const auto& [plugin, weight] : known.score) {
    const auto it = rest.find(plugin);
    if (it == rest.end()) {
      // DynamicResources of 1.34 does not score, as vicinal's does not.
      const PluginRow* row = FindPlugin(plugin);
      if (row != nullptr && row->of_few_pods && row->score == nullptr) continue;
      return Refused(scheduler,
                     absl::StrCat("score_weights[", plugin,
                                  "]: not told; vicinal's --scheduler-config "
                                  "has the weight ",
                                  weight));
    }
    if (it->second != weight) {
      return Refused(
          scheduler,
          absl::StrCat("score_weights[", plugin, "]: ", it->second,
                       "; vicinal's --scheduler-config has ", weight));
    }
    rest.erase(it);
  }
  if (rest.empty()) return absl::OkStatus();
  const auto& [plugin, weight] = *rest.begin();
  return Refused(scheduler,
                 absl::StrCat("score_weights[", plugin, "]: ", weight,
                              "; in vicinal's --scheduler-config the plugin "
                              "does not score"));
}

AttachedProfile Attach(const v1::SchedulingProfile& told,
                       const SchedulerConfig::Profile& known) {
  const PluginConfig& config = known.plugin_config;
  AttachedProfile profile;
  profile.pod_topology_spread =
      std::make_unique<PodTopologySpread>(config.pod_topology_spread);
  profile.inter_pod_affinity =
      std::make_unique<InterPodAffinity>(config.inter_pod_affinity);
  for (const PluginRow& row : Plugins()) {
    if (row.filter != nullptr &&
        (row.taken_over || std::ranges::count(told.filters(), row.name) > 0)) {
      profile.all.filters.push_back(row.filter(config));
    }
  }
  for (const std::string& name : told.filters()) {
    const PluginRow* row = FindPlugin(name);
    if (row == nullptr || (row->filter == nullptr && !row->of_few_pods)) {
      profile.declined = "vicinal does not have the filter plugin " + name;
    }
  }
  for (const auto& [name, weight] : known.score) {
    const PluginRow* row = FindPlugin(name);
    if (row != nullptr && row->score != nullptr) {
      profile.all.scores.push_back({row->score(config), weight});
    } else if (row == nullptr || !row->of_few_pods ||
               weight != DefaultScoreWeight(name)) {
      profile.declined = absl::StrCat("vicinal does not have the score plugin ",
                                      name, ", which has the weight ", weight);
    }
  }
  return profile;
}

}  // namespace

absl::StatusOr<AttachedProfiles> AttachProfiles(const v1::Hello& hello,
                                                const SchedulerConfig& config) {
  const absl::StatusOr<KubernetesRelease> told =
      KubernetesReleaseOf(hello.kubernetes_version());
  if (!told.ok() || told->name != config.release.name) {
    return absl::FailedPreconditionError(absl::StrCat(
        "hello.kubernetes_version: \"", hello.kubernetes_version(),
        "\": vicinal gives the answers of ", std::string(config.release.name),
        " (--kubernetes-release)"));
  }
  AttachedProfiles profiles;
  for (const v1::SchedulingProfile& told : hello.profiles()) {
    const std::string& name = told.scheduler_name();
    const auto known = std::ranges::find(
        config.profiles, name, &SchedulerConfig::Profile::scheduler_name);
    if (known == config.profiles.end()) {
      return Refused(name, "vicinal's --scheduler-config has no such profile");
    }
    if (absl::Status status = CheckWeights(told, *known); !status.ok()) {
      return status;
    }
    if (!profiles.emplace(name, Attach(told, *known)).second) {
      return Refused(name, "told twice");
    }
  }
  for (const SchedulerConfig::Profile& known : config.profiles) {
    if (!profiles.contains(known.scheduler_name)) {
      return Refused(known.scheduler_name,
                     "not told; vicinal's --scheduler-config has it");
    }
  }
  return profiles;
}

}  // namespace vicinal
