// Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/index/node_counts_reader.h"
#include "core/index/topology_index.h"
#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"

namespace vicinal {
namespace {

// A constraint and how the matching pods are spread now.
class Spread {
 public:
  // `topology_keys` are those of all constraints: only nodes that have them all
  // count.
  Spread(const TopologyIndex& index, const Pod& pod,
         SpreadConstraint constraint, std::vector<std::string> topology_keys)
      : constraint_(std::move(constraint)),
        domains_(&index.Domains(constraint_.topology_key)),
        eligible_(&index.Nodes(
            CountedNodes(constraint_, pod, std::move(topology_keys)))),
        self_match_num_(constraint_.selector.Matches(pod.meta.labels) ? 1 : 0) {
    const bool is_per_node = domains_->is_per_node();
    if (!is_per_node) {
      nodes_by_domain_ = &index.ByDomain(eligible_->members(), *domains_);
    }
    if (!constraint_.selector.Empty()) {  // An empty one counts nothing.
      const PlacementCounts& pods =
          index.Count(QueryFor(constraint_, pod.meta.namespace_name));
      if (is_per_node) {
        nodes_with_pods_ = pods.by_node().size();
        pods_by_node_ = NodeCountsReader(pods.by_node());
      } else {
        pods_by_domain_ = &index.ByDomain(pods, *domains_, eligible_);
      }
    }
    UpdateMinimum();
  }

  DomainId DomainOf(NodeId node) const { return domains_->Of(node); }

  // Whether one more pod on the node, which is in the domain, is not too many.
  bool Allows(NodeId node, DomainId domain) const {
    return MatchNum(node, domain) + self_match_num_ - global_minimum_ <=
           constraint_.max_skew;
  }

  // Counts pods on a node that are not there. Source: updateWithPod, which
  // unlike the count of the pods that are there looks neither at the deletion
  // timestamp nor at the emptiness of the selector.
  void Add(std::span<const PodInfo* const> added, NodeId node,
           const std::string& namespace_name) {
    if (!eligible_->Has(node)) return;
    for (const PodInfo* info : added) {
      const ObjectMeta& meta = info->pod.meta;
      if (meta.namespace_name == namespace_name &&
          constraint_.selector.Matches(meta.labels)) {
        ++added_;
        added_to_ = DomainOf(node);
      }
    }
    UpdateMinimum();
  }

 private:
  // The matching pods on the eligible nodes of a domain; `node` is in it.
  std::int64_t MatchNum(NodeId node, DomainId domain) const {
    std::int64_t count = domain == added_to_ ? added_ : 0;
    if (pods_by_domain_ != nullptr) {
      count += pods_by_domain_->Of(domain);
    } else if (eligible_->Has(node)) {
      count += pods_by_node_.Get(node);
    }
    return count;
  }

  void UpdateMinimum() {
    // No domain at all: upstream's initial value, which only minDomains 0 lets
    // through.
    std::int64_t minimum = std::numeric_limits<std::int32_t>::max();
    std::int64_t eligible_domains = 0;
    if (nodes_by_domain_ != nullptr) {
      for (DomainId domain = 0; domain < nodes_by_domain_->id_limit();
           ++domain) {
        if (nodes_by_domain_->Of(domain) == 0) continue;
        ++eligible_domains;
        minimum = std::min(minimum, MatchNum(kNoNode, domain));
      }
    } else {
      const NodeCounts& nodes = eligible_->members().by_node();
      eligible_domains = static_cast<std::int64_t>(nodes.size());
      if (nodes_with_pods_ + (added_ > 0 ? 1 : 0) < nodes.size()) {
        minimum = 0;
      } else {
        nodes.ForEach([&](NodeId node, std::int32_t) {
          minimum = std::min(minimum, MatchNum(node, DomainOf(node)));
        });
      }
    }
    global_minimum_ = eligible_domains < constraint_.min_domains ? 0 : minimum;
  }

  SpreadConstraint constraint_;
  const TopologyDomains* domains_;
  const NodeSet* eligible_;
  // If each domain is one node.
  std::size_t nodes_with_pods_ = 0;
  NodeCountsReader pods_by_node_;
  // Null if each domain is one node; the pods' too if none count.
  const DomainCounts* pods_by_domain_ = nullptr;
  const DomainCounts* nodes_by_domain_ = nullptr;
  std::int64_t self_match_num_;
  std::int64_t added_ = 0;
  DomainId added_to_ = kNoDomain;
  std::int64_t global_minimum_ = 0;
};

class SpreadFilter : public PreparedFilter {
 public:
  SpreadFilter(const ClusterState& cluster, const Pod& pod,
               std::vector<SpreadConstraint> constraints)
      : pod_(pod) {
    std::vector<std::string> keys;
    for (const SpreadConstraint& constraint : constraints) {
      keys.push_back(constraint.topology_key);
    }
    for (SpreadConstraint& constraint : constraints) {
      spreads_.emplace_back(cluster.topology(), pod, std::move(constraint),
                            keys);
    }
  }

  Status Filter(const NodeInfo& node) const override {
    return StatusOf(Judge(node.id));
  }

  void FilterNodes(const CandidateNodes& nodes,
                   NodeStatuses& statuses) const override {
    const NodeStatuses::Id missing = statuses.Add(StatusOf(kMissingLabel));
    const NodeStatuses::Id skewed = statuses.Add(StatusOf(kSkewed));
    const std::span<const NodeId> ids = nodes.ids();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!statuses.ok(i)) continue;
      const Verdict verdict = Judge(ids[i]);
      if (verdict != kFits) {
        statuses.Set(i, verdict == kMissingLabel ? missing : skewed);
      }
    }
  }

  std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added,
      const NodeInfo& node) const override {
    auto filter = std::make_unique<SpreadFilter>(*this);
    for (Spread& spread : filter->spreads_) {
      spread.Add(added, node.id, pod_.meta.namespace_name);
    }
    return filter;
  }

 private:
  enum Verdict { kFits, kMissingLabel, kSkewed };

  static Status StatusOf(Verdict verdict) {
    switch (verdict) {
      case kMissingLabel:
        return Status(Code::kUnschedulableAndUnresolvable,
                      PodTopologySpread::kReasonMissingLabel);
      case kSkewed:
        return Status(Code::kUnschedulable,
                      PodTopologySpread::kReasonConstraints);
      default:
        return Status();
    }
  }

  Verdict Judge(NodeId node) const {
    for (const Spread& spread : spreads_) {
      const DomainId domain = spread.DomainOf(node);
      if (domain == kNoDomain) return kMissingLabel;
      if (!spread.Allows(node, domain)) return kSkewed;
    }
    return kFits;
  }

  const Pod& pod_;
  std::vector<Spread> spreads_;
};

}  // namespace

PodTopologySpread::PodTopologySpread(PodTopologySpreadArgs args)
    : default_constraints_(std::move(args.default_constraints)),
      system_defaulted_(args.system_defaulting) {
  if (!system_defaulted_) return;
  TopologySpreadConstraint by_host;
  by_host.topology_key = kHostnameLabel;
  by_host.when_unsatisfiable = kScheduleAnyway;
  by_host.max_skew = 3;
  TopologySpreadConstraint by_zone;
  by_zone.topology_key = kZoneLabel;
  by_zone.when_unsatisfiable = kScheduleAnyway;
  by_zone.max_skew = 5;
  default_constraints_ = {by_host, by_zone};
}

PreFilterResult PodTopologySpread::PreFilter(const ClusterState& cluster,
                                             const PodInfo& pod) const {
  PreFilterResult result;
  absl::StatusOr<std::vector<SpreadConstraint>> constraints =
      ConstraintsFor(cluster, pod.pod, default_constraints_, kDoNotSchedule);
  if (!constraints.ok()) {
    result.status = Status::Error("get constraints from pod: " +
                                  std::string(constraints.status().message()));
  } else if (constraints->empty()) {
    result.status = Status::Skip();
  } else {
    result.filter = std::make_unique<SpreadFilter>(cluster, pod.pod,
                                                   *std::move(constraints));
  }
  return result;
}

}  // namespace vicinal
