// Source: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/index/topology_index.h"
#include "core/plugins/interpodaffinity/incoming_terms.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/interpodaffinity/last_domains.h"

namespace vicinal {
namespace {

class AffinityScore : public PreparedScore {
 public:
  AffinityScore(const ClusterState& cluster, const PodInfo& pod,
                const InterPodAffinityArgs& args) {
    const TopologyIndex& index = cluster.topology();
    LastDomains domains(index);
    const auto add_own = [&](const WeightedAffinityTerm& own,
                             std::int64_t sign) {
      const AffinityTerm term = WithNamespacesMerged(cluster, own.term);
      // Not the key of the merged term, which goes.
      Add(index, domains.Of(own.term.topology_key),
          index.Count(QueryFor({term})), sign * own.weight);
    };
    for (const auto& term : pod.preferred_affinity_terms) add_own(term, 1);
    for (const auto& term : pod.preferred_anti_affinity_terms) {
      add_own(term, -1);
    }
    index.ForEachOtherTermAbout(
        pod.pod, cluster.NamespaceLabels(pod.pod.meta.namespace_name),
        [&](const CarriedTerm& carried) {
          const bool preferred = carried.kind == CarriedTerm::Kind::kPreferred;
          const std::int64_t weight =
              preferred ? carried.weight : args.hard_pod_affinity_weight;
          if (!preferred && weight <= 0) return;
          Add(index, domains.Of(carried.term.topology_key), carried.pods,
              weight);
        });
  }

  // Whether no term of anybody matched on a node with its topology key. Weights
  // that cancel out are not nothing.
  bool IsVacuous() const { return is_vacuous_; }

  std::int64_t Score(const NodeInfo& node) const override {
    return ScoreOf(node.id);
  }

  void ScoreNodes(const CandidateNodes& nodes,
                  std::span<std::int64_t> scores) const override {
    const std::span<const NodeId> ids = nodes.ids();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = ScoreOf(ids[i]);
    }
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
  struct TopologyScore {
    const TopologyDomains* domains;
    std::vector<std::int64_t> by_domain;
  };

  std::int64_t ScoreOf(NodeId node) const {
    std::int64_t score = 0;
    for (const TopologyScore& topology : topology_scores_) {
      const DomainId domain = topology.domains->Of(node);
      if (domain != kNoDomain) score += topology.by_domain[domain];
    }
    return score;
  }

  // Adds the weight once for each of the counted pods, to their domains.
  void Add(const TopologyIndex& index, const TopologyDomains& domains,
           const PlacementCounts& counts, std::int64_t weight) {
    if (counts.by_node().empty()) return;
    TopologyScore& topology = ByDomain(domains);
    index.ForEachDomain(counts, *topology.domains,
                        [&](DomainId domain, std::int64_t count) {
                          topology.by_domain[domain] += weight * count;
                          is_vacuous_ = false;
                        });
  }

  TopologyScore& ByDomain(const TopologyDomains& domains) {
    for (TopologyScore& known : topology_scores_) {
      if (known.domains == &domains) return known;
    }
    return topology_scores_.emplace_back(TopologyScore{
        &domains, std::vector<std::int64_t>(domains.id_limit(), 0)});
  }

  std::vector<TopologyScore> topology_scores_;  // One for each topology key.
  bool is_vacuous_ = true;
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

}  // namespace vicinal
