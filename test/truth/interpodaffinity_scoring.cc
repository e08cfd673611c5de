// Source: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/plugins/interpodaffinity/incoming_terms.h"
#include "test/truth/interpodaffinity.h"

namespace vicinal::truth {
namespace {

class AffinityScore : public PreparedScore {
 public:
  AffinityScore(const ClusterState& cluster, const PodInfo& pod,
                const InterPodAffinityArgs& args)
      : pod_(pod.pod),
        namespace_labels_(cluster.NamespaceLabels(pod.pod.meta.namespace_name)),
        args_(args) {
    for (const WeightedAffinityTerm& term : pod.preferred_affinity_terms) {
      own_terms_.push_back(
          {WithNamespacesMerged(cluster, term.term), term.weight});
    }
    for (const WeightedAffinityTerm& term : pod.preferred_anti_affinity_terms) {
      own_terms_.push_back(
          {WithNamespacesMerged(cluster, term.term), -term.weight});
    }
    for (const NodeInfo* node : cluster.Nodes()) {
      for (const StoredPod* existing : node->pods) {
        Add(PodInfo(existing->ToPod()), *node->node);
      }
    }
  }

  // Whether no term of anybody matched on a node with its topology key. Weights
  // that cancel out are not nothing.
  bool IsVacuous() const { return topology_score_.empty(); }

  std::int64_t Score(const NodeInfo& node) const override {
    std::int64_t score = 0;
    for (const auto& [key, score_by_value] : topology_score_) {
      const std::string* value = node.labels().Find(key);
      if (value == nullptr) continue;
      const auto it = score_by_value.find(*value);
      if (it != score_by_value.end()) score += it->second;
    }
    return score;
  }

  void Normalize(const CandidateNodes&,
                 std::span<std::int64_t> scores) const override {
    if (scores.empty()) return;
    const auto [min, max] = std::minmax_element(scores.begin(), scores.end());
    const std::int64_t lowest = *min;
    const std::int64_t range = *max - lowest;
    for (std::int64_t& score : scores) {
      // In this order of operations, and truncated: the last bit matters.
      score =
          range == 0
              ? 0
              : static_cast<std::int64_t>(static_cast<double>(kMaxNodeScore) *
                                          (static_cast<double>(score - lowest) /
                                           static_cast<double>(range)));
    }
  }

 private:
  // Source: processExistingPod.
  void Add(const PodInfo& existing, const Node& node) {
    for (const WeightedAffinityTerm& own : own_terms_) {
      if (MatchesExisting(own.term, existing.pod)) {
        AddWeight(node, own.term.topology_key, own.weight);
      }
    }
    if (args_.hard_pod_affinity_weight > 0) {
      for (const AffinityTerm& term : existing.required_affinity_terms) {
        AddIfMatches(node, term, args_.hard_pod_affinity_weight);
      }
    }
    for (const auto& [term, weight] : existing.preferred_affinity_terms) {
      AddIfMatches(node, term, weight);
    }
    for (const auto& [term, weight] : existing.preferred_anti_affinity_terms) {
      AddIfMatches(node, term, -weight);
    }
  }

  // For a term of an existing pod on `node`.
  void AddIfMatches(const Node& node, const AffinityTerm& term,
                    std::int64_t weight) {
    if (term.Matches(pod_, namespace_labels_)) {
      AddWeight(node, term.topology_key, weight);
    }
  }

  void AddWeight(const Node& node, const std::string& topology_key,
                 std::int64_t weight) {
    if (const std::string* value = node.meta.labels.Find(topology_key)) {
      topology_score_[topology_key][*value] += weight;
    }
  }

  const Pod& pod_;
  const Labels& namespace_labels_;
  const InterPodAffinityArgs args_;
  // The incoming pod's preferred terms; anti-affinity has negative weights.
  std::vector<WeightedAffinityTerm> own_terms_;
  // Topology key → value → sum of weights.
  std::map<std::string, std::map<std::string, std::int64_t>> topology_score_;
};

}  // namespace

PreScoreResult InterPodAffinity::PreScore(const ClusterState& cluster,
                                          const PodInfo& pod,
                                          const CandidateNodes&) const {
  PreScoreResult result;
  const auto& affinity = pod.pod.spec.affinity;
  const bool has_preferred_terms =
      affinity &&
      ((affinity->pod_affinity && !affinity->pod_affinity->preferred.empty()) ||
       (affinity->pod_anti_affinity &&
        !affinity->pod_anti_affinity->preferred.empty()));
  if (args_.ignore_preferred_terms_of_existing_pods && !has_preferred_terms) {
    result.status = Status::Skip();
    return result;
  }
  if (!pod.parse_error.ok()) {
    result.status = Status::Error("failed to parse pod: " +
                                  std::string(pod.parse_error.message()));
    return result;
  }
  auto score = std::make_unique<AffinityScore>(cluster, pod, args_);
  if (score->IsVacuous()) {
    result.status = Status::Skip();
  } else {
    result.score = std::move(score);
  }
  return result;
}

}  // namespace vicinal::truth
