// PodTopologySpread: matching pods are to be spread evenly over topology
// domains.
//
// Source: pkg/scheduler/framework/plugins/podtopologyspread, with the feature
// gates at their defaults.
#ifndef VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_PODTOPOLOGYSPREAD_H_
#define VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_PODTOPOLOGYSPREAD_H_

#include <span>
#include <string_view>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/framework.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"

namespace vicinal {

class PodTopologySpread : public FilterPlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "PodTopologySpread";
  static constexpr std::string_view kReasonConstraints =
      "node(s) didn't match pod topology spread constraints";
  static constexpr std::string_view kReasonMissingLabel =
      "node(s) didn't match pod topology spread constraints (missing required "
      "label)";

  explicit PodTopologySpread(PodTopologySpreadArgs args);

  std::string_view Name() const override { return kName; }

  // Cost: O(services of the namespace + constraints × nodes) for PreFilter,
  // O(constraints) for each node.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;

  // Cost: O(services of the namespace + constraints × (`nodes` + nodes with
  // matching pods)) for PreScore, O(constraints) for each node.
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;

 private:
  // The constraints for pods that have none of their own.
  std::vector<TopologySpreadConstraint> default_constraints_;
  const bool system_defaulted_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_PODTOPOLOGYSPREAD_H_
