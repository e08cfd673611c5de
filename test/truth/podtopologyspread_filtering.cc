// Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "test/truth/podtopologyspread.h"
#include "test/truth/spread_counts.h"

namespace vicinal::truth {
namespace {

class SpreadFilter : public PreparedFilter {
 public:
  SpreadFilter(const ClusterState& cluster, const Pod& pod,
               std::vector<SpreadConstraint> constraints)
      : pod_(pod),
        required_node_affinity_(pod.spec.node_selector,
                                pod.spec.affinity
                                    ? pod.spec.affinity->node_affinity
                                    : std::nullopt),
        constraints_(std::move(constraints)),
        match_counts_(constraints_.size()) {
    for (const NodeInfo* node : cluster.Nodes()) {
      if (!HasAllKeys(node->labels(), constraints_)) continue;
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        if (!Includes(constraints_[i], pod_, required_node_affinity_,
                      *node->node)) {
          continue;
        }
        match_counts_[i][*node->labels().Find(constraints_[i].topology_key)] +=
            CountMatchingPods(*node, constraints_[i].selector,
                              pod_.meta.namespace_name);
      }
    }
    UpdateMinimums();
  }

  Status Filter(const NodeInfo& node) const override {
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const SpreadConstraint& constraint = constraints_[i];
      const std::string* domain = node.labels().Find(constraint.topology_key);
      if (domain == nullptr) {
        return Status(Code::kUnschedulableAndUnresolvable,
                      vicinal::PodTopologySpread::kReasonMissingLabel);
      }
      const std::int64_t self_match_num =
          constraint.selector.Matches(pod_.meta.labels) ? 1 : 0;
      const auto it = match_counts_[i].find(*domain);
      const std::int64_t match_num =
          it == match_counts_[i].end() ? 0 : it->second;
      if (match_num + self_match_num - minimums_[i] > constraint.max_skew) {
        return Status(Code::kUnschedulable,
                      vicinal::PodTopologySpread::kReasonConstraints);
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
    if (!HasAllKeys(node.labels(), constraints_)) return nullptr;
    auto filter = std::make_unique<SpreadFilter>(*this);
    for (const PodInfo* info : added) {
      if (info->pod.meta.namespace_name != pod_.meta.namespace_name) continue;
      for (std::size_t i = 0; i < constraints_.size(); ++i) {
        const SpreadConstraint& constraint = constraints_[i];
        if (constraint.selector.Matches(info->pod.meta.labels) &&
            Includes(constraint, pod_, required_node_affinity_, *node.node)) {
          ++filter->match_counts_[i]
                                 [*node.labels().Find(constraint.topology_key)];
        }
      }
    }
    filter->UpdateMinimums();
    return filter;
  }

 private:
  void UpdateMinimums() {
    minimums_.clear();
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      // No domain at all: upstream's initial value, which only minDomains 0
      // lets through.
      std::int64_t minimum = std::numeric_limits<std::int32_t>::max();
      for (const auto& [domain, count] : match_counts_[i]) {
        minimum = std::min(minimum, count);
      }
      const auto domains = static_cast<std::int64_t>(match_counts_[i].size());
      minimums_.push_back(domains < constraints_[i].min_domains ? 0 : minimum);
    }
  }

  const Pod& pod_;
  const RequiredNodeAffinity required_node_affinity_;
  const std::vector<SpreadConstraint> constraints_;
  // For each constraint: the matching pods in each domain that has an eligible
  // node.
  std::vector<std::map<std::string, std::int64_t>> match_counts_;
  // For each constraint: the global minimum.
  std::vector<std::int64_t> minimums_;
};

}  // namespace

std::string_view PodTopologySpread::Name() const {
  return vicinal::PodTopologySpread::kName;
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

}  // namespace vicinal::truth
