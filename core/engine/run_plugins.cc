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
#include "core/plugins/candidate_nodes.h"

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

// In the words of the framework.
Status Worded(Status status, std::string_view plugin) {
  if (status.code() == Code::kError) {
    status = Status::Error("running " + Quoted(plugin) +
                           " filter plugin: " + status.Message());
  }
  return WithPlugin(std::move(status), plugin);
}

void RunFilters(const std::vector<NamedFilter>& filters,
                const CandidateNodes& nodes, NodeStatuses& statuses) {
  for (const NamedFilter& named : filters) {
    statuses.set_plugin(named.plugin);
    named.filter->FilterNodes(nodes, statuses);
  }
  statuses.ReplaceEach([](Status& status) {
    if (status.code() != Code::kError) return;
    const std::string_view plugin = status.plugin();
    status = Worded(std::move(status), plugin);
  });
}

// What the filters say if the nominated pods of the same or a higher priority
// run on the node.
Status FilterWithNominatedPods(const std::vector<NamedFilter>& filters,
                               const PodInfo& pod, const NodeInfo& node) {
  std::vector<const PodInfo*> nominated;
  for (const PodInfo* other : node.nominated_pods) {
    if (PodPriority(other->pod) >= PodPriority(pod.pod) &&
        IdentityOf(other->pod.meta) != IdentityOf(pod.pod.meta)) {
      nominated.push_back(other);
    }
  }
  if (nominated.empty()) return Status();
  for (const NamedFilter& named : filters) {
    const std::unique_ptr<PreparedFilter> with_nominated =
        named.filter->WithPods(nominated, node);
    Status status = with_nominated ? with_nominated->Filter(node)
                                   : named.filter->Filter(node);
    if (!status.ok()) return Worded(std::move(status), named.plugin);
  }
  return Status();
}

// Says of the nodes that no PreFilter named that they will not do.
void RefuseAllBut(const std::set<std::string>& names,
                  const std::set<std::string>& plugins,
                  const CandidateNodes& nodes, NodeStatuses& statuses) {
  const NodeStatuses::Id refused = statuses.Add(Status(
      Code::kUnschedulableAndUnresolvable,
      std::vector{"node(s) didn't satisfy plugin(s) " + Listed(plugins)}));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!names.contains(nodes[i]->Name())) statuses.Set(i, refused);
  }
}

}  // namespace

FilterOutcome RunFilterPlugins(const Profile& profile,
                               const ClusterState& cluster, const PodInfo& pod,
                               const CandidateNodes& nodes) {
  FilterOutcome outcome;
  outcome.statuses = NodeStatuses(nodes.size());
  NodeStatuses& statuses = outcome.statuses;
  const Prepared prepared = RunPreFilters(profile, cluster, pod);
  outcome.pre_filter = prepared.status;
  if (!prepared.status.ok()) {
    statuses.SetAll(prepared.status);
    return outcome;
  }
  if (prepared.node_names) {
    RefuseAllBut(*prepared.node_names, prepared.restricting_plugins, nodes,
                 statuses);
  }
  RunFilters(prepared.filters, nodes, statuses);
  if (!cluster.HasNominatedPods()) return outcome;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeInfo& node = *nodes[i];
    if (node.nominated_pods.empty()) continue;
    if (prepared.node_names && !prepared.node_names->contains(node.Name())) {
      continue;
    }
    Status status = FilterWithNominatedPods(prepared.filters, pod, node);
    if (status.ok()) continue;
    statuses.set_plugin(status.plugin());
    statuses.Set(i, statuses.Add(std::move(status)));
  }
  return outcome;
}

ScoreOutcome RunScorePlugins(const Profile& profile,
                             const ClusterState& cluster, const PodInfo& pod,
                             const CandidateNodes& nodes) {
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
    scores.raw.resize(nodes.size());
    prepared[i]->ScoreNodes(nodes, scores.raw);
    scores.normalized = scores.raw;
    prepared[i]->Normalize(nodes, scores.normalized);
  }
  outcome.totals.assign(nodes.size(), 0);
  const auto is_valid = [](std::int64_t score) {
    return score >= 0 && score <= kMaxNodeScore;
  };
  bool all_valid = true;
  for (const PluginScores& scores : outcome.plugins) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      outcome.totals[i] += scores.weight * scores.normalized[i];
      all_valid &= is_valid(scores.normalized[i]);
    }
  }
  if (all_valid) return outcome;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const PluginScores& scores : outcome.plugins) {
      const std::int64_t score = scores.normalized[i];
      if (is_valid(score)) continue;
      fail(absl::StrCat(
          "applying score defaultWeights on Score plugins: plugin ",
          Quoted(scores.plugin), " returns an invalid score ", score,
          ", it should in the range of [0, ", kMaxNodeScore,
          "] after normalizing"));
      return outcome;
    }
  }
  return outcome;
}

}  // namespace vicinal
