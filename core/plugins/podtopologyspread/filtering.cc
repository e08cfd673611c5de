// Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/index/topology_index.h"
#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"

namespace vicinal {
namespace {

// A constraint and how the matching pods are spread now.
struct Spread {
  SpreadConstraint constraint;
  const TopologyDomains* domains;
  bool self_matches;
  // By domain: the matching pods on its eligible nodes; kNotEligible for a
  // domain that has no eligible node.
  std::vector<std::int64_t> match_counts;
  std::int64_t global_minimum = 0;

  static constexpr std::int64_t kNotEligible = -1;

  void UpdateMinimum() {
    // No domain at all: upstream's initial value, which only minDomains 0 lets
    // through.
    std::int64_t minimum = std::numeric_limits<std::int32_t>::max();
    std::int64_t eligible_domains = 0;
    for (const std::int64_t count : match_counts) {
      if (count == kNotEligible) continue;
      ++eligible_domains;
      minimum = std::min(minimum, count);
    }
    global_minimum = eligible_domains < constraint.min_domains ? 0 : minimum;
  }
};

class SpreadFilter : public PreparedFilter {
 public:
  SpreadFilter(const ClusterState& cluster, const Pod& pod,
               std::vector<SpreadConstraint> constraints)
      : pod_(pod),
        required_node_affinity_(pod.spec.node_selector,
                                pod.spec.affinity
                                    ? pod.spec.affinity->node_affinity
                                    : std::nullopt) {
    const TopologyIndex& index = cluster.topology();
    for (SpreadConstraint& constraint : constraints) {
      const TopologyDomains& domains = index.Domains(constraint.topology_key);
      spreads_.push_back({std::move(constraint), &domains, false,
                          std::vector<std::int64_t>(domains.id_limit(),
                                                    Spread::kNotEligible)});
    }
    const std::vector<const NodeInfo*> nodes = cluster.Nodes();
    for (Spread& spread : spreads_) {
      spread.self_matches = spread.constraint.selector.Matches(pod.meta.labels);
      for (const NodeInfo* node : nodes) {
        if (IsEligible(spread, *node)) {
          spread.match_counts[spread.domains->Of(node->id)] = 0;
        }
      }
      CountMatchingPods(cluster, spread);
      spread.UpdateMinimum();
    }
  }

  Status Filter(const NodeInfo& node) const override {
    for (const Spread& spread : spreads_) {
      const DomainId domain = spread.domains->Of(node.id);
      if (domain == kNoDomain) {
        return Status(Code::kUnschedulableAndUnresolvable,
                      PodTopologySpread::kReasonMissingLabel);
      }
      const std::int64_t match_num =
          std::max<std::int64_t>(spread.match_counts[domain], 0);
      const std::int64_t self_match_num = spread.self_matches ? 1 : 0;
      if (match_num + self_match_num - spread.global_minimum >
          spread.constraint.max_skew) {
        return Status(Code::kUnschedulable,
                      PodTopologySpread::kReasonConstraints);
      }
    }
    return Status();
  }

  // Source: updateWithPod, which unlike the count of the pods that are there
  // looks neither at the deletion timestamp nor at the emptiness of the
  // selector.
  std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added,
      const NodeInfo& node) const override {
    auto filter = std::make_unique<SpreadFilter>(*this);
    for (Spread& spread : filter->spreads_) {
      if (!IsEligible(spread, node)) continue;
      for (const PodInfo* info : added) {
        const ObjectMeta& meta = info->pod.meta;
        if (meta.namespace_name == pod_.meta.namespace_name &&
            spread.constraint.selector.Matches(meta.labels)) {
          ++spread.match_counts[spread.domains->Of(node.id)];
        }
      }
      spread.UpdateMinimum();
    }
    return filter;
  }

 private:
  // Whether the pods on a node count for a constraint: the node has the keys of
  // all constraints, and the inclusion policies include it.
  bool IsEligible(const Spread& spread, const NodeInfo& node) const {
    return std::all_of(spreads_.begin(), spreads_.end(),
                       [&node](const Spread& other) {
                         return other.domains->Of(node.id) != kNoDomain;
                       }) &&
           spread.constraint.Includes(pod_, required_node_affinity_,
                                      *node.node);
  }

  void CountMatchingPods(const ClusterState& cluster, Spread& spread) const {
    const SpreadConstraint& constraint = spread.constraint;
    if (constraint.selector.Empty()) return;  // Counts nothing.
    for (const auto& [node, pods] : cluster.topology().Count(
             QueryFor(constraint, pod_.meta.namespace_name))) {
      if (IsEligible(spread, cluster.NodeById(node))) {
        spread.match_counts[spread.domains->Of(node)] += pods;
      }
    }
  }

  const Pod& pod_;
  const RequiredNodeAffinity required_node_affinity_;
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
