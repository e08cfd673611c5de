#include "core/engine/run_plugins.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/engine/pre_filters.h"
#include "core/model/field_error.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {
namespace {

Status WithPlugin(Status status, std::string_view plugin) {
  status.set_plugin(plugin);
  return status;
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
  const PreFilters prepared = RunPreFilters(profile, cluster, pod);
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

Status FilterOneNode(const Profile& profile, const ClusterState& cluster,
                     const PodInfo& pod, const NodeInfo& node) {
  const NodeInfo* const only = &node;
  return RunFilterPlugins(profile, cluster, pod, std::span(&only, 1))
      .statuses[0];
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
