#include "core/engine/template_ranking.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/engine/rank_nodes.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/node_statuses.h"
#include "core/plugins/registry.h"

namespace vicinal {
namespace {

constexpr std::int64_t kUnknownScore = std::numeric_limits<std::int64_t>::min();

bool IsNodeLocal(std::string_view plugin) {
  const PluginRow* row = FindPlugin(plugin);
  return row != nullptr && row->node_local;
}

// Of those above.
bool Normalizes(std::string_view plugin) {
  return plugin == "TaintToleration" || plugin == "NodeAffinity";
}

bool IsValid(std::int64_t score) {
  return score >= 0 && score <= kMaxNodeScore;
}

// Adds the weighted scores to the totals, and says whether all are valid.
bool AddTo(std::vector<std::int64_t>& totals, std::int64_t weight,
           const std::vector<std::int64_t>& scores) {
  std::uint64_t highest = 0;  // A negative one is higher than all that may be.
  for (std::size_t i = 0; i < scores.size(); ++i) {
    totals[i] += weight * scores[i];
    highest = std::max(highest, static_cast<std::uint64_t>(scores[i]));
  }
  return highest <= static_cast<std::uint64_t>(kMaxNodeScore);
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
  // Those that have passed so far; the list is copied only if some have not.
  std::unique_ptr<SelectedNodes> some;
  const auto keep = [&](const CandidateNodes& nodes,
                        const std::vector<std::size_t>& passed) {
    if (passed.size() == nodes.size()) return;
    some = std::make_unique<SelectedNodes>(nodes, passed);
  };
  std::vector<std::size_t> passed;
  passed.reserve(all.size());
  const std::span<const NodeId> ids = all.ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const NodeId id = ids[i];
    if (id >= pods.fits.size()) pods.fits.resize(id + 1, Fit::kUnknown);
    Fit& fit = pods.fits[id];
    if (fit == Fit::kUnknown) fit = Judge(prepared.filters, *all[i]);
    // Which error is reported, and whether any is, depends on the others.
    if (fit == Fit::kError) return RankAmong(pod, all, limit, random);
    if (fit == Fit::kFits) passed.push_back(i);
  }
  keep(all, passed);
  for (const NamedFilter& named : prepared.filters) {
    if (IsNodeLocal(named.plugin)) continue;
    const CandidateNodes nodes = some ? some->candidates() : AllNodes(cluster_);
    NodeStatuses statuses(nodes.size());
    named.filter->FilterNodes(nodes, statuses);
    for (const Status& status : statuses.distinct()) {
      if (status.code() == Code::kError) {
        return RankAmong(pod, all, limit, random);
      }
    }
    keep(nodes, statuses.Passed());
  }
  const CandidateNodes nodes = some ? some->candidates() : AllNodes(cluster_);
  const std::span<const NodeId> left = nodes.ids();
  ranked.passed = left.size();
  if (left.size() <= 1) {
    ranked.best.assign(left.begin(), left.end());
    return ranked;
  }
  std::vector<std::int64_t> totals;
  if (!Totals(pods, pod, nodes, totals)) {
    return RankAmong(pod, all, limit, random);  // It says what the error is.
  }
  for (const std::size_t position : HighestTotals(totals, limit, random)) {
    ranked.best.push_back(left[position]);
  }
  return ranked;
}

bool TemplateRanking::Totals(Template& pods, const PodInfo& pod,
                             const CandidateNodes& nodes,
                             std::vector<std::int64_t>& totals) const {
  std::vector<Prepared> kept;
  std::vector<Prepared> others;
  for (std::size_t i = 0; i < profile_.scores.size(); ++i) {
    const ScorePlugin& plugin = *profile_.scores[i].plugin;
    PreScoreResult result = plugin.PreScore(cluster_, pod, nodes);
    if (result.status.IsSkip()) continue;
    if (!result.status.ok()) return false;
    (IsNodeLocal(plugin.Name()) ? kept : others)
        .push_back({i, std::move(result.score)});
  }
  const std::span<const NodeId> ids = nodes.ids();
  pods.sums.resize(std::max(pods.sums.size(), pods.fits.size()), kUnknownScore);
  totals.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::int64_t& sum = pods.sums[ids[i]];
    if (sum == kUnknownScore && !Learn(pods, kept, *nodes[i])) return false;
    totals[i] = sum;
  }
  std::vector<std::int64_t> scores(ids.size());
  const auto add = [&](const Prepared& prepared) {
    prepared.score->Normalize(nodes, scores);
    return AddTo(totals, profile_.scores[prepared.position].weight, scores);
  };
  for (const Prepared& prepared : kept) {
    const RawScores& raw = pods.raw[prepared.position];
    if (raw.not_zero == 0) continue;  // All the same, or none that normalizes.
    for (std::size_t i = 0; i < ids.size(); ++i) {
      scores[i] = raw.by_node[ids[i]];
    }
    if (!add(prepared)) return false;
  }
  for (const Prepared& prepared : others) {
    prepared.score->ScoreNodes(nodes, scores);
    if (!add(prepared)) return false;
  }
  return true;
}

bool TemplateRanking::Learn(Template& pods, const std::vector<Prepared>& kept,
                            const NodeInfo& node) const {
  std::int64_t sum = 0;
  for (const Prepared& prepared : kept) {
    const auto& [plugin, weight] = profile_.scores[prepared.position];
    const std::int64_t score = prepared.score->Score(node);
    if (!Normalizes(plugin->Name())) {
      if (!IsValid(score)) return false;
      sum += weight * score;
      continue;
    }
    RawScores& raw = pods.raw[prepared.position];
    if (raw.by_node.size() < pods.fits.size()) {
      raw.by_node.resize(pods.fits.size(), 0);
    }
    std::int64_t& known = raw.by_node[node.id];
    if (known != 0) --raw.not_zero;
    known = score;
    if (known != 0) ++raw.not_zero;
  }
  pods.sums[node.id] = sum;
  return true;
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
  added.raw.resize(profile_.scores.size());
  return added;
}

void TemplateRanking::ForgetChanged(Template& pods) const {
  const auto forget = [&pods](NodeId id) {
    if (id < pods.fits.size()) pods.fits[id] = Fit::kUnknown;
    if (id < pods.sums.size()) pods.sums[id] = kUnknownScore;
    for (RawScores& raw : pods.raw) {
      if (id >= raw.by_node.size() || raw.by_node[id] == 0) continue;
      raw.by_node[id] = 0;
      --raw.not_zero;
    }
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
  ranked.passed = found.passed;
  for (const std::size_t position : found.best) {
    ranked.best.push_back(nodes.ids()[position]);
  }
  return ranked;
}

}  // namespace vicinal
