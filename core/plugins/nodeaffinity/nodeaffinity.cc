#include "core/plugins/nodeaffinity/nodeaffinity.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vicinal {
namespace {

const std::optional<NodeAffinity>& AffinityOf(const Pod& pod) {
  static const std::optional<NodeAffinity> kNone;
  return pod.spec.affinity ? pod.spec.affinity->node_affinity : kNone;
}

// The names that a term's metadata.name requirements leave; nothing if it has
// none.
std::optional<std::set<std::string>> NodeNames(const NodeSelectorTerm& term) {
  std::optional<std::set<std::string>> names;
  for (const NodeSelectorRequirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != "In") continue;
    const std::set<std::string> values(field.values.begin(),
                                       field.values.end());
    if (!names) {
      names = values;
    } else {
      std::erase_if(*names, [&](const std::string& name) {
        return !values.contains(name);
      });
    }
  }
  return names;
}

// The names that all terms together leave; nothing if some term leaves any.
std::optional<std::set<std::string>> NodeNames(const NodeSelector& terms) {
  std::set<std::string> names;
  for (const NodeSelectorTerm& term : terms) {
    std::optional<std::set<std::string>> term_names = NodeNames(term);
    if (!term_names) return std::nullopt;
    names.merge(*term_names);
  }
  return names;
}

class NodeAffinityFilter : public PreparedFilter {
 public:
  NodeAffinityFilter(const std::optional<LenientNodeSelector>& added,
                     const Pod& pod)
      : added_(added), required_(pod.spec.node_selector, AffinityOf(pod)) {}

  Status Filter(const NodeInfo& node) const override {
    if (added_ && !added_->Matches(node.labels(), node.Name())) {
      return Status(Code::kUnschedulableAndUnresolvable,
                    NodeAffinityPlugin::kReasonEnforced);
    }
    if (!required_.Matches(node.labels(), node.Name())) {
      return Status(Code::kUnschedulableAndUnresolvable,
                    NodeAffinityPlugin::kReasonPod);
    }
    return Status();
  }

 private:
  const std::optional<LenientNodeSelector>& added_;
  const RequiredNodeAffinity required_;
};

class NodeAffinityScore : public PreparedScore {
 public:
  NodeAffinityScore(const std::optional<PreferredSchedulingTerms>& added,
                    std::optional<PreferredSchedulingTerms> preferred)
      : added_(added), preferred_(std::move(preferred)) {}

  std::int64_t Score(const NodeInfo& node) const override {
    std::int64_t score = 0;
    if (added_) score += added_->Score(node.labels(), node.Name());
    if (preferred_) score += preferred_->Score(node.labels(), node.Name());
    return score;
  }

  void Normalize(const CandidateNodes& /*nodes*/,
                 std::span<std::int64_t> scores) const override {
    DefaultNormalizeScore(false, scores);
  }

 private:
  const std::optional<PreferredSchedulingTerms>& added_;
  const std::optional<PreferredSchedulingTerms> preferred_;
};

}  // namespace

NodeAffinityPlugin::NodeAffinityPlugin(const NodeAffinityArgs& args) {
  if (!args.added_affinity) return;
  if (args.added_affinity->required) {
    added_required_.emplace(*args.added_affinity->required);
  }
  const auto& preferred = args.added_affinity->preferred;
  if (preferred && !preferred->empty()) {
    auto terms = PreferredSchedulingTerms::Parse(*preferred);
    if (terms.ok()) added_preferred_ = *std::move(terms);
  }
}

PreFilterResult NodeAffinityPlugin::PreFilter(const ClusterState& /*cluster*/,
                                              const PodInfo& pod) const {
  const std::optional<NodeAffinity>& affinity = AffinityOf(pod.pod);
  const bool has_required = affinity && affinity->required;
  PreFilterResult result;
  if (!has_required && !added_required_ && !pod.pod.spec.node_selector) {
    result.status = Status::Skip();
    return result;
  }
  if (has_required && !affinity->required->empty()) {
    if (const auto names = NodeNames(*affinity->required)) {
      if (names->empty()) {
        result.status =
            Status(Code::kUnschedulableAndUnresolvable, kReasonConflict);
        return result;
      }
      result.node_names.emplace(names->begin(), names->end());
    }
  }
  result.filter =
      std::make_unique<NodeAffinityFilter>(added_required_, pod.pod);
  return result;
}

PreScoreResult NodeAffinityPlugin::PreScore(
    const ClusterState& /*cluster*/, const PodInfo& pod,
    const CandidateNodes& /*nodes*/) const {
  const std::optional<NodeAffinity>& affinity = AffinityOf(pod.pod);
  PreScoreResult result;
  std::optional<PreferredSchedulingTerms> preferred;
  if (affinity && affinity->preferred) {
    auto terms = PreferredSchedulingTerms::Parse(*affinity->preferred);
    if (!terms.ok()) {
      result.status = Status::Error(std::string(terms.status().message()));
      return result;
    }
    preferred = *std::move(terms);
  }
  if (!preferred && !added_preferred_) {
    result.status = Status::Skip();
    return result;
  }
  result.score = std::make_unique<NodeAffinityScore>(added_preferred_,
                                                     std::move(preferred));
  return result;
}

}  // namespace vicinal
