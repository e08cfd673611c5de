// Source: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/natural_log.h"
#include "test/truth/podtopologyspread.h"
#include "test/truth/spread_counts.h"

namespace vicinal::truth {
namespace {

class SpreadScore : public PreparedScore {
 public:
  SpreadScore(const ClusterState& cluster, const Pod& pod,
              const CandidateNodes& filtered_nodes,
              std::vector<SpreadConstraint> constraints,
              bool require_all_topologies)
      : pod_(pod),
        constraints_(std::move(constraints)),
        require_all_topologies_(require_all_topologies),
        match_counts_(constraints_.size()) {
    // The domains that matter are those of the nodes to be scored.
    std::size_t scored_nodes = 0;
    for (const NodeInfo* node : filtered_nodes) {
      if (IsIgnored(*node)) continue;
      ++scored_nodes;
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        if (constraints_[i].topology_key == kHostnameLabel) continue;
        match_counts_[i].try_emplace(DomainOf(*node, constraints_[i]), 0);
      }
    }
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const std::size_t size = constraints_[i].topology_key == kHostnameLabel
                                   ? scored_nodes
                                   : match_counts_[i].size();
      normalizing_weights_.push_back(NaturalLog(static_cast<double>(size + 2)));
    }
    const RequiredNodeAffinity required(
        pod.spec.node_selector,
        pod.spec.affinity ? pod.spec.affinity->node_affinity : std::nullopt);
    for (const NodeInfo* node : cluster.Nodes()) {
      if (IsIgnored(*node)) continue;
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        if (!Includes(constraints_[i], pod, required, *node->node)) continue;
        const auto it = match_counts_[i].find(DomainOf(*node, constraints_[i]));
        if (it == match_counts_[i].end()) continue;
        it->second += CountMatchingPods(*node, constraints_[i].selector,
                                        pod.meta.namespace_name);
      }
    }
  }

  std::int64_t Score(const NodeInfo& node) const override {
    if (IsIgnored(node)) return 0;
    double score = 0;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const SpreadConstraint& constraint = constraints_[i];
      const std::string* domain = node.labels().Find(constraint.topology_key);
      if (domain == nullptr) continue;
      const std::int64_t count =
          constraint.topology_key == kHostnameLabel
              ? CountMatchingPods(node, constraint.selector,
                                  pod_.meta.namespace_name)
              : match_counts_[i].at(*domain);
      score += static_cast<double>(count) * normalizing_weights_[i] +
               static_cast<double>(constraint.max_skew - 1);
    }
    return static_cast<std::int64_t>(std::round(score));
  }

  void Normalize(const CandidateNodes& nodes,
                 std::span<std::int64_t> scores) const override {
    std::int64_t min = std::numeric_limits<std::int64_t>::max();
    std::int64_t max = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (IsIgnored(*nodes[i])) continue;
      min = std::min(min, scores[i]);
      max = std::max(max, scores[i]);
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (IsIgnored(*nodes[i])) {
        scores[i] = 0;
      } else if (max == 0) {
        scores[i] = kMaxNodeScore;
      } else {
        scores[i] = kMaxNodeScore * (max + min - scores[i]) / max;
      }
    }
  }

 private:
  // Nodes that lack a key are not scored, unless the constraints are the
  // system's defaults: then the missing label is a domain named "".
  bool IsIgnored(const NodeInfo& node) const {
    return require_all_topologies_ && !HasAllKeys(node.labels(), constraints_);
  }

  static std::string DomainOf(const NodeInfo& node,
                              const SpreadConstraint& constraint) {
    const std::string* domain = node.labels().Find(constraint.topology_key);
    return domain == nullptr ? "" : *domain;
  }

  const Pod& pod_;
  const std::vector<SpreadConstraint> constraints_;
  const bool require_all_topologies_;
  // For each constraint: the matching pods in each domain of the nodes to be
  // scored. Empty for the hostname, which Score counts by itself.
  std::vector<std::map<std::string, std::int64_t>> match_counts_;
  // For each constraint: ln(number of domains + 2).
  std::vector<double> normalizing_weights_;
};

}  // namespace

PreScoreResult PodTopologySpread::PreScore(const ClusterState& cluster,
                                           const PodInfo& pod,
                                           const CandidateNodes& nodes) const {
  PreScoreResult result;
  absl::StatusOr<std::vector<SpreadConstraint>> constraints =
      ConstraintsFor(cluster, pod.pod, default_constraints_, kScheduleAnyway);
  if (!constraints.ok()) {
    result.status = Status::Error("calculating preScoreState: " +
                                  std::string(constraints.status().message()));
  } else if (constraints->empty()) {
    result.status = Status::Skip();
  } else {
    const bool has_own = !pod.pod.spec.topology_spread_constraints.empty();
    result.score = std::make_unique<SpreadScore>(cluster, pod.pod, nodes,
                                                 *std::move(constraints),
                                                 has_own || !system_defaulted_);
  }
  return result;
}

}  // namespace vicinal::truth
