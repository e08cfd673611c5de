#include "core/engine/template_ranking.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/engine/rank_nodes.h"
#include "core/engine/run_plugins.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/node_statuses.h"

namespace vicinal {
namespace {

constexpr std::int64_t kUnknownScore = std::numeric_limits<std::int64_t>::min();

// To these nothing matters but the pod and the NodeInfo.
constexpr std::array<std::string_view, 6> kNodeLocal = {
    "NodeName",     "NodeUnschedulable", "TaintToleration",
    "NodeAffinity", "NodeResourcesFit",  "NodeResourcesBalancedAllocation"};

bool IsNodeLocal(std::string_view plugin) {
  return std::ranges::find(kNodeLocal, plugin) != kNodeLocal.end();
}

// Whether these plugins cannot tell the pods apart: they look at the spec, and
// at what the status says of resources.
bool AreAlike(const Pod& a, const Pod& b) {
  return a.spec == b.spec &&
         a.status.container_statuses == b.status.container_statuses &&
         a.status.allocated_resources == b.status.allocated_resources &&
         a.status.resources == b.status.resources &&
         a.status.resize_infeasible == b.status.resize_infeasible;
}

}  // namespace

TemplateRanking::Ranked TemplateRanking::Rank(const PodInfo& pod,
                                              std::size_t limit,
                                              std::mt19937_64& random) {
  if (cluster_.HasNominatedPods()) {
    return RankAmong(pod, AllNodes(cluster_), limit, random);
  }
  const PreFilters prepared = RunPreFilters(profile_, cluster_, pod);
  Ranked ranked;
  if (!prepared.status.ok()) {
    if (prepared.status.code() == Code::kError) ranked.status = prepared.status;
    return ranked;
  }
  if (prepared.node_names) {
    // All others are refused.
    std::vector<const NodeInfo*> named;
    for (const std::string& name : *prepared.node_names) {
      if (const NodeInfo* node = cluster_.FindNode(name)) named.push_back(node);
    }
    return RankAmong(pod, named, limit, random);
  }

  Template& pods = TemplateOf(pod.pod);
  ForgetChanged(pods);
  const CandidateNodes all = AllNodes(cluster_);
  const std::span<const NodeId> ids = all.ids();
  std::vector<std::size_t> passed;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= pods.fits.size()) {
      pods.fits.resize(ids[i] + 1, Fit::kUnknown);
      for (auto& scores : pods.scores) {
        scores.resize(ids[i] + 1, kUnknownScore);
      }
    }
    Fit& fit = pods.fits[ids[i]];
    if (fit == Fit::kUnknown) fit = Judge(prepared.filters, *all[i]);
    // Which error is reported, and whether any is, depends on the others.
    if (fit == Fit::kError) return RankAmong(pod, all, limit, random);
    if (fit == Fit::kFits) passed.push_back(i);
  }
  for (const NamedFilter& named : prepared.filters) {
    if (IsNodeLocal(named.plugin)) continue;
    const SelectedNodes selected(all, passed);
    NodeStatuses statuses(passed.size());
    named.filter->FilterNodes(selected.candidates(), statuses);
    for (const Status& status : statuses.distinct()) {
      if (status.code() == Code::kError) {
        return RankAmong(pod, all, limit, random);
      }
    }
    std::vector<std::size_t> left;
    for (const std::size_t position : statuses.Passed()) {
      left.push_back(passed[position]);
    }
    passed = std::move(left);
  }
  if (passed.size() <= 1) {
    for (const std::size_t position : passed) {
      ranked.best.push_back(ids[position]);
    }
    return ranked;
  }
  const SelectedNodes selected(all, passed);
  ScoreOutcome scored = RunScorePlugins(
      profile_, cluster_, pod, selected.candidates(),
      [&](std::size_t plugin, const PreparedScore& score,
          const CandidateNodes& nodes, std::span<std::int64_t> raw) {
        if (!IsNodeLocal(profile_.scores[plugin].plugin->Name())) {
          return score.ScoreNodes(nodes, raw);
        }
        std::vector<std::int64_t>& known = pods.scores[plugin];
        const std::span<const NodeId> scored_ids = nodes.ids();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          std::int64_t& value = known[scored_ids[i]];
          if (value == kUnknownScore) value = score.Score(*nodes[i]);
          raw[i] = value;
        }
      });
  ranked.status = std::move(scored.status);
  if (!ranked.status.ok()) return ranked;
  for (const std::size_t position :
       HighestTotals(scored.totals, limit, random)) {
    ranked.best.push_back(ids[passed[position]]);
  }
  return ranked;
}

TemplateRanking::Template& TemplateRanking::TemplateOf(const Pod& pod) {
  const auto known = std::ranges::find_if(
      templates_,
      [&pod](const Template& pods) { return AreAlike(pods.pod, pod); });
  if (known != templates_.end()) {
    templates_.splice(templates_.begin(), templates_, known);
    return templates_.front();
  }
  if (templates_.size() == kTemplates) templates_.pop_back();
  Template& added = templates_.emplace_front();
  added.pod = pod;
  added.seen = changed_.count();
  added.scores.resize(profile_.scores.size());
  return added;
}

void TemplateRanking::ForgetChanged(Template& pods) const {
  const auto forget = [&pods](NodeId id) {
    if (id >= pods.fits.size()) return;
    pods.fits[id] = Fit::kUnknown;
    for (auto& scores : pods.scores) scores[id] = kUnknownScore;
  };
  if (!changed_.ForEachSince(pods.seen, forget)) {
    for (NodeId id = 0; id < pods.fits.size(); ++id) forget(id);
  }
  pods.seen = changed_.count();
}

TemplateRanking::Fit TemplateRanking::Judge(
    const std::vector<NamedFilter>& filters, const NodeInfo& node) {
  for (const NamedFilter& named : filters) {
    if (!IsNodeLocal(named.plugin)) continue;
    const Status status = named.filter->Filter(node);
    if (status.ok()) continue;
    return status.code() == Code::kError ? Fit::kError : Fit::kRefused;
  }
  return Fit::kFits;
}

TemplateRanking::Ranked TemplateRanking::RankAmong(
    const PodInfo& pod, const CandidateNodes& nodes, std::size_t limit,
    std::mt19937_64& random) const {
  RankedNodes found = RankNodes(profile_, cluster_, pod, nodes, limit, random);
  Ranked ranked;
  ranked.status = std::move(found.status);
  for (const std::size_t position : found.best) {
    ranked.best.push_back(nodes.ids()[position]);
  }
  return ranked;
}

}  // namespace vicinal
