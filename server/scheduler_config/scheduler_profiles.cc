#include "server/scheduler_config/scheduler_profiles.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/engine/default_profile.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/registry.h"
#include "server/scheduler_config/plugin_sets.h"

namespace vicinal {
namespace {

// The scheduler multiplies an extender's scores by this (MaxNodeScore /
// MaxExtenderPriority).
constexpr std::int64_t kExtenderFactor = 10;

absl::Status Refused(const std::string& what) {
  return absl::InvalidArgumentError(what + "; use --mode=advise");
}

// By how much the weights of the scheduler's own plugins are multiplied: 1, or
// what makes room for scores that vicinal adds by prioritize. Error: another
// extender interferes.
absl::StatusOr<std::int64_t> ScaleOf(
    const std::vector<SchedulerConfig::Extender>& extenders) {
  if (extenders.empty()) return 1;
  // Entries that only bind or preempt do not matter here.
  std::size_t last = extenders.size() - 1;
  while (last > 0 && extenders[last].filter_verb.empty() &&
         extenders[last].prioritize_verb.empty()) {
    --last;
  }
  for (std::size_t i = 0; i < last; ++i) {
    if (!extenders[i].prioritize_verb.empty()) {
      return Refused(absl::StrCat("extenders[", i,
                                  "].prioritizeVerb: ", extenders[i].url_prefix,
                                  " adds scores that vicinal cannot know "
                                  "(vicinal must be the last extender)"));
    }
  }
  const SchedulerConfig::Extender& vicinal = extenders[last];
  if (vicinal.filter_verb.empty()) {
    return Refused(absl::StrCat("extenders[", last,
                                "].filterVerb: required: the last extender "
                                "that filters or scores must be vicinal"));
  }
  return vicinal.prioritize_verb.empty() ? 1 : kExtenderFactor * vicinal.weight;
}

// `takes_over`: vicinal scores for the plugins that it takes over.
absl::StatusOr<Profile> Decider(const SchedulerConfig::Profile& profile,
                                std::int64_t scale, bool takes_over) {
  Profile decider = TopologyProfile(profile.plugin_config.pod_topology_spread,
                                    profile.plugin_config.inter_pod_affinity);
  decider.scores.clear();
  std::vector<WeightedPlugin> plugins = profile.score;
  for (const PluginRow& row : Plugins()) {
    if (takes_over && row.taken_over &&
        std::ranges::find(plugins, row.name, &WeightedPlugin::name) ==
            plugins.end()) {
      plugins.push_back({std::string(row.name), row.weight * scale});
    }
  }
  for (const auto& [name, weight] : plugins) {
    const PluginRow* row = FindPlugin(name);
    if (row != nullptr && row->score != nullptr) {
      decider.scores.push_back({row->score(profile.plugin_config), weight});
      continue;
    }
    const std::string where =
        absl::StrCat("profile \"", profile.scheduler_name, "\": ");
    if (row == nullptr || !row->scores || !row->of_few_pods) {
      return Refused(absl::StrCat(where, "vicinal does not have the plugin ",
                                  name, ", which scores or may score"));
    }
    const std::int64_t usual = DefaultScoreWeight(name);
    if (weight != usual && weight != usual * scale) {
      return Refused(absl::StrCat(where, "vicinal does not have the plugin ",
                                  name, ", which was given the weight ",
                                  weight));
    }
  }
  return decider;
}

Profile Topology(const PluginConfig& config) {
  return TopologyProfile(config.pod_topology_spread, config.inter_pod_affinity);
}

Profile Resources(const PluginConfig& config) {
  Profile profile;
  profile.filters.push_back(
      std::make_unique<NodeResourcesFit>(config.node_resources_fit));
  return profile;
}

// Whether vicinal is among them: the last extender that filters.
bool HasVicinal(const std::vector<SchedulerConfig::Extender>& extenders) {
  return std::ranges::any_of(extenders, [](const auto& extender) {
    return !extender.filter_verb.empty();
  });
}

// Vicinal answers for the plugins that it takes over.
void SetFilters(const SchedulerConfig::Profile& profile,
                const std::vector<SchedulerConfig::Extender>& extenders,
                SchedulerProfile& out) {
  for (const std::string& name : profile.filters) {
    if (FindPlugin(name) == nullptr) {
      out.other_filters.push_back(name);
    } else {
      out.filters.insert(name);
    }
  }
  std::string vicinal;
  for (const SchedulerConfig::Extender& extender : extenders) {
    if (extender.filter_verb.empty()) continue;
    if (!vicinal.empty()) out.other_filters.push_back(vicinal);
    vicinal = "extender " + extender.url_prefix;
  }
  if (vicinal.empty()) return;
  for (const PluginRow& row : Plugins()) {
    if (row.taken_over) out.filters.emplace(row.name);
  }
}

}  // namespace

SchedulerProfiles::SchedulerProfiles(const KubernetesRelease& release) {
  SchedulerConfig::Profile profile;
  profile.plugin_config.release = release;
  profile.scheduler_name = "any";
  profile.score = ResolveScorePlugins({}, {});
  any_.topology = Topology(profile.plugin_config);
  any_.plugin_config = profile.plugin_config;
  any_.decide = *Decider(profile, 1, true);
  any_.all = DefaultProfile(profile.plugin_config);
  any_.resources = Resources(profile.plugin_config);
  any_.explain = DefaultProfile(profile.plugin_config);
  profile.filters = ResolveFilterPlugins({}, {});
  SetFilters(profile, {}, any_);
}

absl::StatusOr<SchedulerProfiles> SchedulerProfiles::FromConfig(
    const SchedulerConfig& config, bool advise_only) {
  SchedulerProfiles profiles;
  profiles.has_config_ = true;
  absl::StatusOr<std::int64_t> scale = ScaleOf(config.extenders);
  if (!scale.ok() && !advise_only) return scale.status();
  const bool takes_over = HasVicinal(config.extenders);
  for (const SchedulerConfig::Profile& profile : config.profiles) {
    SchedulerProfile& made = profiles.by_name_[profile.scheduler_name];
    made.topology = Topology(profile.plugin_config);
    made.all = DefaultProfile(profile.plugin_config);
    made.resources = Resources(profile.plugin_config);
    made.explain = DefaultProfile(profile.plugin_config);
    made.plugin_config = profile.plugin_config;
    SetFilters(profile, config.extenders, made);
    std::erase_if(made.explain.filters, [&made](const auto& filter) {
      return !made.filters.contains(filter->Name());
    });
    std::erase_if(made.explain.scores, [&](const auto& score) {
      const std::string_view name = score.plugin->Name();
      return !(takes_over && FindPlugin(name)->taken_over) &&
             std::ranges::find(profile.score, name, &WeightedPlugin::name) ==
                 profile.score.end();
    });
    if (advise_only) continue;
    absl::StatusOr<Profile> decider = Decider(profile, *scale, true);
    if (!decider.ok()) return decider.status();
    made.decide = *std::move(decider);
    made.explain.scores =
        std::move(Decider(profile, *scale, takes_over)->scores);
  }
  return profiles;
}

const SchedulerProfile* SchedulerProfiles::Find(
    const std::string& scheduler_name) const {
  if (!has_config_) return &any_;
  const auto it = by_name_.find(scheduler_name.empty() ? "default-scheduler"
                                                       : scheduler_name);
  return it == by_name_.end() ? nullptr : &it->second;
}

std::string SchedulerProfiles::Describe() const {
  std::string text;
  const auto add = [&text](std::string_view name,
                           const SchedulerProfile& profile) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", "profile ",
                    std::string(name), ":");
    for (const auto& [plugin, weight] : profile.decide.scores) {
      absl::StrAppend(&text, " ", std::string(plugin->Name()), "=", weight);
    }
  };
  if (!has_config_) add("of every scheduler", any_);
  for (const auto& [name, profile] : by_name_) add(name, profile);
  return text;
}

}  // namespace vicinal
