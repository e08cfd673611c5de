// Source: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/index/topology_index.h"
#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/natural_log.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"

namespace vicinal {
namespace {

// A constraint and what it says of the nodes to be scored.
class SpreadTerm {
 public:
  SpreadTerm(const TopologyIndex& index, SpreadConstraint constraint,
             const std::string& namespace_name)
      : constraint_(std::move(constraint)),
        domains_(index.Domains(constraint_.topology_key)),
        // A missing label and the value "" are one domain.
        unlabelled_(domains_.Find("") == kNoDomain
                        ? static_cast<DomainId>(domains_.id_limit())
                        : domains_.Find("")),
        is_hostname_(constraint_.topology_key == kHostnameLabel),
        pods_(constraint_.selector.Empty()
                  ? nullptr  // Counts nothing.
                  : &index.Count(QueryFor(constraint_, namespace_name))) {
    if (!is_hostname_) {
      match_counts_.assign(domains_.id_limit() + 1, kNotScored);
    }
  }

  bool HasKey(const NodeInfo& node) const {
    return domains_.Of(node.id) != kNoDomain;
  }

  // Takes note of a node that is to be scored: only its domain matters.
  void AddScoredNode(const NodeInfo& node) {
    ++size_;
    if (is_hostname_) return;
    std::int64_t& count = match_counts_[DomainOf(node.id)];
    if (count == kNotScored) {
      count = 0;
    } else {
      --size_;  // Seen before: the size is in domains, not in nodes.
    }
  }

  // Counts the matching pods, on the nodes that `is_counted` accepts, in the
  // domains of the nodes that are to be scored. After all AddScoredNode.
  template <typename IsCounted>
  void Count(IsCounted&& is_counted) {
    normalizing_weight_ = NaturalLog(static_cast<double>(size_ + 2));
    if (is_hostname_ || pods_ == nullptr) return;
    for (const auto& [node, pods] : *pods_) {
      std::int64_t& count = match_counts_[DomainOf(node)];
      if (count != kNotScored && is_counted(constraint_, node)) count += pods;
    }
  }

  // What the constraint adds to the score of a node that has the key.
  double Score(const NodeInfo& node) const {
    std::int64_t count = 0;
    if (!is_hostname_) {
      count = match_counts_[DomainOf(node.id)];
    } else if (pods_ != nullptr) {
      count = pods_->Get(node.id);
    }
    return static_cast<double>(count) * normalizing_weight_ +
           static_cast<double>(constraint_.max_skew - 1);
  }

 private:
  static constexpr std::int64_t kNotScored = -1;

  DomainId DomainOf(NodeId node) const {
    const DomainId domain = domains_.Of(node);
    return domain == kNoDomain ? unlabelled_ : domain;
  }

  SpreadConstraint constraint_;
  const TopologyDomains& domains_;
  DomainId unlabelled_;
  bool is_hostname_;
  const NodeCounts* pods_;
  // By domain: the matching pods. Empty for the hostname, where a node's own
  // pods count.
  std::vector<std::int64_t> match_counts_;
  std::size_t size_ = 0;  // Domains of the nodes to be scored.
  double normalizing_weight_ = 0;
};

class SpreadScore : public PreparedScore {
 public:
  SpreadScore(const ClusterState& cluster, const Pod& pod,
              std::span<const NodeInfo* const> filtered_nodes,
              std::vector<SpreadConstraint> constraints,
              bool require_all_topologies)
      : require_all_topologies_(require_all_topologies) {
    for (SpreadConstraint& constraint : constraints) {
      terms_.emplace_back(cluster.topology(), std::move(constraint),
                          pod.meta.namespace_name);
    }
    for (const NodeInfo* node : filtered_nodes) {
      if (IsIgnored(*node)) continue;
      for (SpreadTerm& term : terms_) term.AddScoredNode(*node);
    }
    const RequiredNodeAffinity required(
        pod.spec.node_selector,
        pod.spec.affinity ? pod.spec.affinity->node_affinity : std::nullopt);
    for (SpreadTerm& term : terms_) {
      term.Count([&](const SpreadConstraint& constraint, NodeId id) {
        const NodeInfo& node = cluster.NodeById(id);
        return !IsIgnored(node) &&
               constraint.Includes(pod, required, *node.node);
      });
    }
  }

  std::int64_t Score(const NodeInfo& node) const override {
    if (IsIgnored(node)) return 0;
    double score = 0;
    for (const SpreadTerm& term : terms_) {
      if (term.HasKey(node)) score += term.Score(node);
    }
    return static_cast<std::int64_t>(std::round(score));
  }

  void Normalize(std::span<const NodeInfo* const> nodes,
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
    return require_all_topologies_ &&
           !std::all_of(
               terms_.begin(), terms_.end(),
               [&node](const SpreadTerm& term) { return term.HasKey(node); });
  }

  const bool require_all_topologies_;
  std::vector<SpreadTerm> terms_;
};

}  // namespace

PreScoreResult PodTopologySpread::PreScore(
    const ClusterState& cluster, const PodInfo& pod,
    std::span<const NodeInfo* const> nodes) const {
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

}  // namespace vicinal
