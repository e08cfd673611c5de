#include "core/engine/run_plugins.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

struct NamedFilter {
  std::string_view plugin;
  std::unique_ptr<PreparedFilter> filter;
};

// The result of all PreFilters.
struct Prepared {
  Status status;
  std::vector<NamedFilter> filters;
  // If only some nodes are worth asking: their names, and who said so.
  std::optional<std::set<std::string>> node_names;
  std::set<std::string> restricting_plugins;
};

Status WithPlugin(Status status, std::string_view plugin) {
  status.set_plugin(plugin);
  return status;
}

// Go's fmt %v of a list of strings: [a b].
std::string Listed(const std::set<std::string>& names) {
  return "[" + absl::StrJoin(names, " ") + "]";
}

void Restrict(const std::vector<std::string>& names,
              std::optional<std::set<std::string>>& node_names) {
  std::set<std::string> both;
  for (const std::string& name : names) {
    if (!node_names || node_names->contains(name)) both.insert(name);
  }
  node_names = std::move(both);
}

Prepared RunPreFilters(const Profile& profile, const ClusterState& cluster,
                       const PodInfo& pod) {
  Prepared prepared;
  for (const auto& plugin : profile.filters) {
    PreFilterResult result = plugin->PreFilter(cluster, pod);
    if (result.status.IsSkip()) continue;
    switch (result.status.code()) {
      case Code::kSuccess:
        break;
      case Code::kUnschedulable:
        // A later plugin may find something that is worse.
        prepared.status = WithPlugin(std::move(result.status), plugin->Name());
        continue;
      case Code::kUnschedulableAndUnresolvable:
        prepared.status = WithPlugin(std::move(result.status), plugin->Name());
        return prepared;
      default:
        prepared.status = WithPlugin(
            Status::Error("running PreFilter plugin " + Quoted(plugin->Name()) +
                          ": " + result.status.Message()),
            plugin->Name());
        return prepared;
    }
    prepared.filters.push_back({plugin->Name(), std::move(result.filter)});
    if (!result.node_names) continue;
    prepared.restricting_plugins.emplace(plugin->Name());
    Restrict(*result.node_names, prepared.node_names);
    if (!prepared.node_names->empty()) continue;
    const auto& plugins = prepared.restricting_plugins;
    prepared.status = Status(
        Code::kUnschedulableAndUnresolvable,
        std::vector{plugins.size() == 1
                        ? "node(s) didn't satisfy plugin " + *plugins.begin()
                        : "node(s) didn't satisfy plugin(s) " +
                              Listed(plugins) + " simultaneously"});
    return prepared;
  }
  return prepared;
}

// The first filter that does not pass, or success.
Status RunFilters(const std::vector<NamedFilter>& filters,
                  const std::vector<std::unique_ptr<PreparedFilter>>& instead,
                  const NodeInfo& node) {
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const PreparedFilter& filter =
        i < instead.size() && instead[i] ? *instead[i] : *filters[i].filter;
    Status status = filter.Filter(node);
    if (status.ok()) continue;
    if (status.code() == Code::kError) {
      status = Status::Error("running " + Quoted(filters[i].plugin) +
                             " filter plugin: " + status.Message());
    }
    return WithPlugin(std::move(status), filters[i].plugin);
  }
  return Status();
}

Status RunFiltersWithNominatedPods(const std::vector<NamedFilter>& filters,
                                   const PodInfo& pod, const NodeInfo& node) {
  std::vector<const PodInfo*> nominated;
  for (const PodInfo* other : node.nominated_pods) {
    if (PodPriority(other->pod) >= PodPriority(pod.pod) &&
        IdentityOf(other->pod.meta) != IdentityOf(pod.pod.meta)) {
      nominated.push_back(other);
    }
  }
  if (!nominated.empty()) {
    std::vector<std::unique_ptr<PreparedFilter>> with_nominated;
    with_nominated.reserve(filters.size());
    for (const NamedFilter& named : filters) {
      with_nominated.push_back(named.filter->WithPods(nominated, node));
    }
    Status status = RunFilters(filters, with_nominated, node);
    if (!status.ok()) return status;
  }
  return RunFilters(filters, {}, node);
}

}  // namespace

FilterOutcome RunFilterPlugins(const Profile& profile,
                               const ClusterState& cluster, const PodInfo& pod,
                               std::span<const NodeInfo* const> nodes) {
  FilterOutcome outcome;
  const Prepared prepared = RunPreFilters(profile, cluster, pod);
  outcome.pre_filter = prepared.status;
  if (!prepared.status.ok()) {
    outcome.statuses.assign(nodes.size(), prepared.status);
    return outcome;
  }
  outcome.statuses.reserve(nodes.size());
  for (const NodeInfo* node : nodes) {
    if (prepared.node_names && !prepared.node_names->contains(node->Name())) {
      outcome.statuses.emplace_back(
          Code::kUnschedulableAndUnresolvable,
          std::vector{"node(s) didn't satisfy plugin(s) " +
                      Listed(prepared.restricting_plugins)});
      continue;
    }
    outcome.statuses.push_back(
        RunFiltersWithNominatedPods(prepared.filters, pod, *node));
  }
  return outcome;
}

ScoreOutcome RunScorePlugins(const Profile& profile,
                             const ClusterState& cluster, const PodInfo& pod,
                             std::span<const NodeInfo* const> nodes) {
  ScoreOutcome outcome;
  const auto fail = [&outcome](std::string message) {
    outcome = ScoreOutcome();
    outcome.status = Status::Error(std::move(message));
  };
  // All PreScores run before the first score.
  std::vector<std::unique_ptr<PreparedScore>> prepared;
  for (const auto& [plugin, weight] : profile.scores) {
    PreScoreResult result = plugin->PreScore(cluster, pod, nodes);
    if (result.status.IsSkip()) continue;
    if (!result.status.ok()) {
      fail("running PreScore plugin " + Quoted(plugin->Name()) + ": " +
           result.status.Message());
      return outcome;
    }
    PluginScores& scores = outcome.plugins.emplace_back();
    scores.plugin = plugin->Name();
    scores.weight = weight;
    prepared.push_back(std::move(result.score));
  }
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    PluginScores& scores = outcome.plugins[i];
    scores.raw.reserve(nodes.size());
    for (const NodeInfo* node : nodes) {
      scores.raw.push_back(prepared[i]->Score(*node));
    }
    scores.normalized = scores.raw;
    prepared[i]->Normalize(nodes, scores.normalized);
  }
  outcome.totals.assign(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const PluginScores& scores : outcome.plugins) {
      const std::int64_t score = scores.normalized[i];
      if (score < 0 || score > kMaxNodeScore) {
        fail(absl::StrCat(
            "applying score defaultWeights on Score plugins: plugin ",
            Quoted(scores.plugin), " returns an invalid score ", score,
            ", it should in the range of [0, ", kMaxNodeScore,
            "] after normalizing"));
        return outcome;
      }
      outcome.totals[i] += scores.weight * score;
    }
  }
  return outcome;
}

}  // namespace vicinal
