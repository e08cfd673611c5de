// Source: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
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
  bool AllHaveKey(std::size_t nodes_of_cluster) const {
    return domains_->nodes() == nodes_of_cluster;
  }

  // Tells which nodes are to be scored: only their domains matter, of which the
  // more there are the more each pod weighs.
  void SetScoredNodes(std::span<const NodeId> nodes) {
    const std::size_t domains =
        is_hostname_ ? nodes.size() : CountDomains(nodes);
    normalizing_weight_ = NaturalLog(static_cast<double>(domains + 2));
    // A table does not pay for few nodes of many domains.
    if (by_domain_ == nullptr || domains_->id_limit() > nodes.size()) return;
    for (DomainId domain = 0; domain < domains_->id_limit(); ++domain) {
      scores_.push_back(ScoreFor(PodsIn(domain)));
    }
  }

  // What the constraint adds to the score of a node that has its key.
  double Score(NodeId node) const {
    if (by_domain_ != nullptr) return ScoreFor(PodsIn(domains_->Of(node)));
    const bool counts = counted_ == nullptr || counted_->Has(node);
    return ScoreFor(counts ? by_node_.Get(node) : 0);
  }

  // Adds it to the score of each.
  void AddScores(std::span<const NodeId> nodes, std::span<double> sums) const {
    if (!scores_.empty()) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        sums[i] += scores_[domains_->Of(nodes[i])];
      }
    } else if (by_domain_ == nullptr && counted_ == nullptr) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        sums[i] += ScoreFor(by_node_.Get(nodes[i]));
      }
    } else {
      for (std::size_t i = 0; i < nodes.size(); ++i) sums[i] += Score(nodes[i]);
    }
  }

 private:
  // A missing label and the value "" are one domain.
  std::size_t CountDomains(std::span<const NodeId> nodes) const {
    const DomainId missing = empty_value_ != kNoDomain
                                 ? empty_value_
                                 : static_cast<DomainId>(domains_->id_limit());
    std::vector<std::uint8_t> is_there(domains_->id_limit() + 1, 0);
    for (const NodeId node : nodes) {
      const DomainId domain = domains_->Of(node);
      is_there[domain == kNoDomain ? missing : domain] = 1;
    }
    return static_cast<std::size_t>(std::ranges::count(is_there, 1));
  }

  std::int64_t PodsIn(DomainId domain) const {
    return by_domain_->Of(domain) +
           (domain == empty_value_ ? by_domain_->Of(kNoDomain) : 0);
  }

  double ScoreFor(std::int64_t pods) const {
    return static_cast<double>(pods) * normalizing_weight_ +
           static_cast<double>(constraint_.max_skew - 1);
  }

  SpreadConstraint constraint_;
  const TopologyDomains* domains_;
  DomainId empty_value_;  // The domain of the value "", if there is one.
  bool is_hostname_;
  // Null for the hostname, where a node's own pods count, or if none do.
  const NodeSet* counted_ = nullptr;
  const DomainCounts* by_domain_ = nullptr;  // Null if each domain is one node.
  NodeCountsReader by_node_;    // The pods, for want of by_domain_.
  std::vector<double> scores_;  // By domain; empty: by_domain_ is to be asked.
  double normalizing_weight_ = 0;
};

class SpreadScore : public PreparedScore {
 public:
  SpreadScore(const ClusterState& cluster, const Pod& pod,
              const CandidateNodes& filtered_nodes,
              std::vector<SpreadConstraint> constraints,
              bool require_all_topologies) {
    std::vector<std::string> keys;
    if (require_all_topologies) {
      for (const SpreadConstraint& constraint : constraints) {
        keys.push_back(constraint.topology_key);
      }
    }
    for (SpreadConstraint& constraint : constraints) {
      terms_.emplace_back(cluster.topology(), pod, std::move(constraint), keys);
    }
    std::span<const NodeId> nodes = filtered_nodes.ids();
    some_lack_key_ = std::ranges::any_of(terms_, [&](const SpreadTerm& term) {
      return !term.AllHaveKey(cluster.Nodes().size()) &&
             !std::ranges::all_of(
                 nodes, [&](NodeId node) { return term.HasKey(node); });
    });
    ignores_some_ = some_lack_key_ && require_all_topologies;
    std::vector<NodeId> scored;  // Unless that is all of them.
    if (ignores_some_) {
      std::ranges::copy_if(nodes, std::back_inserter(scored),
                           [this](NodeId node) { return !IsIgnored(node); });
      nodes = scored;
    }
    for (SpreadTerm& term : terms_) term.SetScoredNodes(nodes);
  }

  std::int64_t Score(const NodeInfo& node) const override {
    if (IsIgnored(node.id)) return 0;
    double score = 0;
    for (const SpreadTerm& term : terms_) {
      if (term.HasKey(node.id)) score += term.Score(node.id);
    }
    return Round(score);
  }

  void ScoreNodes(const CandidateNodes& nodes,
                  std::span<std::int64_t> scores) const override {
    if (some_lack_key_) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        scores[i] = Score(*nodes[i]);
      }
      return;
    }
    const std::span<const NodeId> ids = nodes.ids();
    std::vector<double> sums(ids.size(), 0);
    for (const SpreadTerm& term : terms_) term.AddScores(ids, sums);
    for (std::size_t i = 0; i < ids.size(); ++i) scores[i] = Round(sums[i]);
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
  // Of a node that was given to the constructor. Nodes that lack a key are not
  // scored, unless the constraints are the system's defaults: then the missing
  // label is a domain named "".
  bool IsIgnored(NodeId node) const {
    return ignores_some_ && std::any_of(terms_.begin(), terms_.end(),
                                        [node](const SpreadTerm& term) {
                                          return !term.HasKey(node);
                                        });
  }

  bool some_lack_key_ = false;  // Of the nodes given to the constructor.
  bool ignores_some_ = false;   // Of those.
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
