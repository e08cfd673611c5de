// Source: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/index/node_counts_reader.h"
#include "core/index/topology_index.h"
#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/natural_log.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"

namespace vicinal {
namespace {

// Go's math.Round for what is not negative, without a call.
std::int64_t Round(double x) {
  const double whole = std::trunc(x);
  return static_cast<std::int64_t>(whole) + (x - whole >= 0.5 ? 1 : 0);
}

// A constraint and what it says of the nodes to be scored.
class SpreadTerm {
 public:
  // `topology_keys`: only the pods on nodes that have them count.
  SpreadTerm(const TopologyIndex& index, const Pod& pod,
             SpreadConstraint constraint,
             std::vector<std::string> topology_keys)
      : constraint_(std::move(constraint)),
        domains_(&index.Domains(constraint_.topology_key)),
        empty_value_(domains_->Find("")),
        is_hostname_(constraint_.topology_key == kHostnameLabel) {
    if (!is_hostname_) is_scored_.assign(domains_->id_limit() + 1, false);
    if (constraint_.selector.Empty()) return;  // Counts nothing.
    const PlacementCounts& pods =
        index.Count(QueryFor(constraint_, pod.meta.namespace_name));
    if (!is_hostname_) {
      counted_ = &index.Nodes(
          CountedNodes(constraint_, pod, std::move(topology_keys)));
    }
    if (is_hostname_ ||
        (domains_->is_per_node() && empty_value_ == kNoDomain)) {
      by_node_ = NodeCountsReader(pods.by_node());
    } else {
      by_domain_ = &index.ByDomain(pods, *domains_, counted_);
    }
  }

  bool HasKey(NodeId node) const { return domains_->Of(node) != kNoDomain; }

  // Takes note of a node that is to be scored: only its domain matters.
  void AddScoredNode(NodeId node) {
    if (is_hostname_) {
      ++size_;
      return;
    }
    DomainId domain = domains_->Of(node);
    // A missing label and the value "" are one domain.
    if (domain == kNoDomain) domain = empty_value_;
    if (domain == kNoDomain)
      domain = static_cast<DomainId>(domains_->id_limit());
    if (is_scored_[domain]) return;
    is_scored_[domain] = true;
    ++size_;
  }

  // After all AddScoredNode.
  void SetWeight() {
    normalizing_weight_ = NaturalLog(static_cast<double>(size_ + 2));
  }

  // What the constraint adds to the score of a node; 0 if that lacks the key.
  double Score(NodeId node) const {
    const DomainId domain = domains_->Of(node);
    if (domain == kNoDomain) return 0;
    return static_cast<double>(MatchingPods(node, domain)) *
               normalizing_weight_ +
           static_cast<double>(constraint_.max_skew - 1);
  }

 private:
  // On the node for the hostname, otherwise on the counted nodes of its domain.
  std::int64_t MatchingPods(NodeId node, DomainId domain) const {
    if (by_domain_ != nullptr) {
      return by_domain_->Of(domain) +
             (domain == empty_value_ ? by_domain_->Of(kNoDomain) : 0);
    }
    return counted_ == nullptr || counted_->Has(node) ? by_node_.Get(node) : 0;
  }

  SpreadConstraint constraint_;
  const TopologyDomains* domains_;
  DomainId empty_value_;  // The domain of the value "", if there is one.
  bool is_hostname_;
  // Null for the hostname, where a node's own pods count, or if none do.
  const NodeSet* counted_ = nullptr;
  const DomainCounts* by_domain_ = nullptr;  // Null if each domain is one node.
  NodeCountsReader by_node_;     // The pods, for want of by_domain_.
  std::vector<bool> is_scored_;  // By domain; the last is the missing label.
  std::size_t size_ = 0;         // Domains of the nodes to be scored.
  double normalizing_weight_ = 0;
};

class SpreadScore : public PreparedScore {
 public:
  SpreadScore(const ClusterState& cluster, const Pod& pod,
              const CandidateNodes& filtered_nodes,
              std::vector<SpreadConstraint> constraints,
              bool require_all_topologies)
      : require_all_topologies_(require_all_topologies) {
    std::vector<std::string> keys;
    if (require_all_topologies) {
      for (const SpreadConstraint& constraint : constraints) {
        keys.push_back(constraint.topology_key);
      }
    }
    for (SpreadConstraint& constraint : constraints) {
      terms_.emplace_back(cluster.topology(), pod, std::move(constraint), keys);
    }
    for (const NodeId node : filtered_nodes.ids()) {
      if (LacksKey(node)) {
        some_lack_key_ = true;
        if (require_all_topologies_) continue;
      }
      for (SpreadTerm& term : terms_) term.AddScoredNode(node);
    }
    for (SpreadTerm& term : terms_) term.SetWeight();
  }

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

  void Normalize(const CandidateNodes& nodes,
                 std::span<std::int64_t> scores) const override {
    std::int64_t min = std::numeric_limits<std::int64_t>::max();
    std::int64_t max = 0;
    const std::span<const NodeId> ids = nodes.ids();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (IsIgnored(ids[i])) continue;
      min = std::min(min, scores[i]);
      max = std::max(max, scores[i]);
    }
    const auto normalized = [min, max](std::int64_t score) {
      return max == 0 ? kMaxNodeScore
                      : kMaxNodeScore * (max + min - score) / max;
    };
    // Divisions take most of the time, and few scores differ.
    std::vector<std::int64_t> table;
    if (max - min < static_cast<std::int64_t>(scores.size() / 4)) {
      for (std::int64_t score = min; score <= max; ++score) {
        table.push_back(normalized(score));
      }
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (IsIgnored(ids[i])) {
        scores[i] = 0;
      } else if (!table.empty()) {
        scores[i] = table[static_cast<std::size_t>(scores[i] - min)];
      } else {
        scores[i] = normalized(scores[i]);
      }
    }
  }

 private:
  bool LacksKey(NodeId node) const {
    return std::any_of(
        terms_.begin(), terms_.end(),
        [node](const SpreadTerm& term) { return !term.HasKey(node); });
  }

  // Of a node that was given to the constructor. Nodes that lack a key are not
  // scored, unless the constraints are the system's defaults: then the missing
  // label is a domain named "".
  bool IsIgnored(NodeId node) const {
    return some_lack_key_ && require_all_topologies_ && LacksKey(node);
  }

  std::int64_t ScoreOf(NodeId node) const {
    if (IsIgnored(node)) return 0;
    double score = 0;
    for (const SpreadTerm& term : terms_) score += term.Score(node);
    return Round(score);
  }

  const bool require_all_topologies_;
  bool some_lack_key_ = false;  // Of the nodes to be scored.
  std::vector<SpreadTerm> terms_;
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

}  // namespace vicinal
