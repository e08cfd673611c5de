#include "core/explain/explain.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/engine/fit_error.h"
#include "core/engine/run_plugins.h"
#include "core/explain/cause_finder.h"
#include "core/explain/cause_finders.h"
#include "core/explain/counting_hints.h"
#include "core/explain/extra_causes.h"
#include "core/explain/hints.h"
#include "core/explain/podtopologyspread_causes.h"
#include "core/model/natural_order.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/nodeaffinity/nodeaffinity.h"

namespace vicinal {
namespace {

// Of the condition PodScheduled.
constexpr char kGatedMessage[] =
    "Scheduling is blocked due to non-empty scheduling gates";

// Stands for the plugin of an error that the framework puts down to none.
constexpr std::string_view kScoring = "scoring";

// A filter plugin made ready to be asked about single nodes.
class FilterAlone {
 public:
  FilterAlone(const FilterPlugin& plugin, const ClusterState& cluster,
              const PluginConfig& config, const PodInfo& pod,
              const ExplainExtras* extras)
      : name_(plugin.Name()),
        cluster_(cluster),
        config_(config),
        pod_(pod),
        extras_(extras),
        result_(plugin.PreFilter(cluster, pod)) {}

  std::string_view name() const { return name_; }

  // The causes for which the plugin refuses the node; none if it does not.
  std::vector<std::size_t> Find(const NodeInfo& node,
                                std::span<const PodInfo* const> nominated,
                                CauseList& causes) {
    if (result_.status.IsSkip()) return {};
    if (result_.filter == nullptr) return FindPreFilter(node, causes);
    // As the engine does: with the nominated pods, and without.
    if (!nominated.empty()) {
      const std::unique_ptr<PreparedFilter> with =
          result_.filter->WithPods(nominated, node);
      if (with != nullptr) {
        const Status status = with->Filter(node);
        if (!status.ok()) return FindFor({node, status, nominated}, causes);
      }
    }
    const Status status = result_.filter->Filter(node);
    if (status.ok()) return {};
    return FindFor({node, status, {}}, causes);
  }

 private:
  std::vector<std::size_t> FindFor(const Refusal& refusal, CauseList& causes) {
    if (!has_looked_for_finder_) {
      finder_ = MakeCauseFinder(name_, cluster_, config_, pod_);
      if (finder_ == nullptr && extras_ != nullptr) {
        finder_ =
            MakeExtraCauseFinder(name_, pod_, extras_->pod, extras_->cluster);
      }
      has_looked_for_finder_ = true;
    }
    std::vector<std::size_t> found;
    if (finder_ != nullptr) found = finder_->Find(refusal, causes);
    if (found.empty()) {
      found = {AddOther(Cause::Kind::kOther, refusal.status, causes)};
    }
    return found;
  }

  // PreFilter refused all nodes.
  std::vector<std::size_t> FindPreFilter(const NodeInfo& node,
                                         CauseList& causes) {
    // Terms that leave no node name are still terms with paths; a claim that is
    // not there has a name.
    if (name_ == NodeAffinityPlugin::kName || IsAboutVolumes(name_)) {
      return FindFor({node, result_.status, {}}, causes);
    }
    return {AddOther(Cause::Kind::kQuestion, result_.status, causes)};
  }

  std::size_t AddOther(Cause::Kind kind, const Status& status,
                       CauseList& causes) {
    std::string key(name_);
    key += "/?" + status.Message();
    return causes.FindOrAdd(std::move(key), [&] {
      Cause cause;
      cause.kind = kind;
      cause.plugin = name_;
      cause.reason = status.Message();
      cause.wants = kind == Cause::Kind::kQuestion
                        ? "the pod cannot be judged: " + cause.reason
                        : cause.reason;
      return cause;
    });
  }

  const std::string_view name_;
  const ClusterState& cluster_;
  const PluginConfig& config_;
  const PodInfo& pod_;
  const ExplainExtras* const extras_;
  PreFilterResult result_;
  // Made when the first node is refused.
  bool has_looked_for_finder_ = false;
  std::unique_ptr<CauseFinder> finder_;
};

// The nominated pods that count as running on a node, as in the engine.
std::vector<const PodInfo*> NominatedBefore(const NodeInfo& node,
                                            const PodInfo& pod) {
  std::vector<const PodInfo*> nominated;
  for (const PodInfo* other : node.nominated_pods) {
    if (PodPriority(other->pod) >= PodPriority(pod.pod) &&
        IdentityOf(other->pod.meta) != IdentityOf(pod.pod.meta)) {
      nominated.push_back(other);
    }
  }
  return nominated;
}

// Puts the causes that the verdict is about first. A verdict without a plugin
// is that of a PreFilter which left only some node names.
void PutVerdictFirst(const Status& verdict, const std::vector<Cause>& causes,
                     std::vector<std::size_t>& indices) {
  const auto is_verdict = [&](std::size_t index) {
    const std::string_view plugin = causes[index].plugin;
    return verdict.plugin().empty()
               ? verdict.Message().find(plugin) != std::string::npos
               : plugin == verdict.plugin();
  };
  std::stable_partition(indices.begin(), indices.end(), is_verdict);
}

std::vector<std::size_t> NaturalOrder(const CandidateNodes& nodes) {
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&nodes](std::size_t a, std::size_t b) {
    return NaturalLess(nodes[a]->Name(), nodes[b]->Name());
  });
  return order;
}

// Source: pkg/scheduler/framework/plugins/schedulinggates.
std::string GatesMessage(const std::vector<std::string>& gates) {
  std::string text = "waiting for scheduling gates: [";
  for (const std::string& gate : gates) {
    text += (text.back() == '[' ? "" : " ") + gate;
  }
  return text + "]";
}

// Rules that are not the pod's have no path.
void PutPrefix(std::string_view prefix, std::string& rule) {
  if (rule.starts_with("spec.")) rule.insert(0, prefix);
}

std::vector<CauseGroup> Grouped(const Explanation& explanation) {
  using Key =
      std::tuple<std::string_view, std::string, std::string, std::string>;
  std::map<Key, CauseGroup> groups;
  std::vector<CauseGroup*> group_of;
  for (std::size_t i = 0; i < explanation.causes.size(); ++i) {
    const Cause& cause = explanation.causes[i];
    CauseGroup& group =
        groups[{cause.plugin, cause.reason, cause.rule, cause.wants}];
    group.kind = cause.kind;
    group.plugin = cause.plugin;
    group.reason = cause.reason;
    group.rule = cause.rule;
    group.wants = cause.wants;
    group.causes.push_back(i);
    group_of.push_back(&group);
  }
  for (const NodeExplanation& node : explanation.nodes) {
    std::vector<CauseGroup*> of_node;
    for (const std::size_t cause : node.causes) {
      CauseGroup* group = group_of[cause];
      if (std::find(of_node.begin(), of_node.end(), group) != of_node.end()) {
        continue;
      }
      if (of_node.empty()) ++group->first_for;
      of_node.push_back(group);
      ++group->nodes;
    }
  }
  std::vector<CauseGroup> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CauseGroup& a, const CauseGroup& b) {
                     return a.nodes > b.nodes;
                   });
  return sorted;
}

void AddScores(const ScoreOutcome& scored,
               const std::vector<std::size_t>& feasible,
               Explanation& explanation) {
  for (const PluginScores& plugin : scored.plugins) {
    explanation.score_plugins.push_back({plugin.plugin, plugin.weight});
  }
  for (std::size_t i = 0; i < scored.totals.size(); ++i) {
    NodeExplanation& node = explanation.nodes[feasible[i]];
    node.total = scored.totals[i];
    for (const PluginScores& plugin : scored.plugins) {
      node.scores.push_back({plugin.raw[i], plugin.normalized[i]});
    }
  }
}

}  // namespace

Explanation Explain(const ClusterState& cluster, const Profile& profile,
                    const PluginConfig& config, const PodInfo& pod,
                    std::string_view path_prefix, const ExplainExtras* extras) {
  Explanation explanation;
  explanation.pod = KeyOf(pod.pod.meta);
  const Profile& filtering =
      extras == nullptr ? profile : extras->filters.profile;
  if (extras != nullptr) {
    explanation.checked = extras->filters.checked;
    explanation.not_checked = extras->filters.not_checked;
  }
  const CandidateNodes nodes = AllNodes(cluster);
  const FilterOutcome filtered =
      RunFilterPlugins(filtering, cluster, pod, nodes);
  explanation.message = FitErrorMessage(filtered);
  if (extras != nullptr && !extras->pod.gates.empty()) {
    explanation.held_back = GatesMessage(extras->pod.gates);
    explanation.message = kGatedMessage;
  }

  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeExplanation& node = explanation.nodes.emplace_back();
    node.name = nodes[i]->Name();
    node.status = filtered.statuses[i];
  }
  std::vector<std::size_t> feasible = filtered.statuses.Passed();
  CauseList causes;
  if (!feasible.empty()) {
    const SelectedNodes selected(nodes, feasible);
    const ScoreOutcome scored =
        RunScorePlugins(profile, cluster, pod, selected.candidates());
    AddScores(scored, feasible, explanation);
    if (!scored.status.ok()) {
      // In the scheduler an error ends the attempt, whatever passed before.
      const std::size_t cause = causes.FindOrAdd("score", [&scored] {
        Cause error;
        error.kind = Cause::Kind::kQuestion;
        error.plugin = kScoring;
        error.reason = scored.status.Message();
        error.wants = "the nodes cannot be scored: " + error.reason;
        return error;
      });
      for (NodeExplanation& node : explanation.nodes) {
        node.status = scored.status;
        node.causes = {cause};
      }
      feasible.clear();
    }
  }
  explanation.fitting = feasible.size();

  std::vector<FilterAlone> filters;
  for (const auto& plugin : filtering.filters) {
    filters.emplace_back(*plugin, cluster, config, pod, extras);
  }
  for (const std::size_t i : NaturalOrder(nodes)) {
    NodeExplanation& node = explanation.nodes[i];
    if (node.status.ok() || !node.causes.empty()) continue;
    const std::vector<const PodInfo*> nominated =
        NominatedBefore(*nodes[i], pod);
    for (FilterAlone& filter : filters) {
      for (const std::size_t cause :
           filter.Find(*nodes[i], nominated, causes)) {
        node.causes.push_back(cause);
      }
    }
  }
  explanation.causes = std::move(causes).Take();
  for (NodeExplanation& node : explanation.nodes) {
    PutVerdictFirst(node.status, explanation.causes, node.causes);
  }
  std::ranges::sort(explanation.nodes, NaturalLess, &NodeExplanation::name);
  explanation.spreads =
      PodTopologySpreadCauses(cluster, pod, config.pod_topology_spread)
          .States();
  for (Cause& cause : explanation.causes) PutPrefix(path_prefix, cause.rule);
  for (SpreadState& spread : explanation.spreads) {
    PutPrefix(path_prefix, spread.rule);
  }
  explanation.groups = Grouped(explanation);
  if (explanation.fitting == 0) {
    for (CauseGroup& group : explanation.groups) {
      const std::string at_most =
          AtMost(cluster, pod, explanation, group, path_prefix);
      if (!at_most.empty()) group.wants += "; " + at_most;
    }
    explanation.hints = FindHints(cluster, pod, explanation, path_prefix);
  }
  return explanation;
}

}  // namespace vicinal
