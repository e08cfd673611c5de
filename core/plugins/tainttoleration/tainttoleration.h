// TaintToleration: no pods on nodes with taints that they do not tolerate;
// better fewer taints of effect PreferNoSchedule.
//
// Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go.
#ifndef VICINAL_CORE_PLUGINS_TAINTTOLERATION_TAINTTOLERATION_H_
#define VICINAL_CORE_PLUGINS_TAINTTOLERATION_TAINTTOLERATION_H_

#include <span>
#include <string_view>

#include "core/plugins/framework.h"

namespace vicinal {

class TaintToleration : public FilterPlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "TaintToleration";
  static constexpr std::string_view kReason =
      "node(s) had untolerated taint(s)";

  std::string_view Name() const override { return kName; }

  // Cost of both: O(tolerations), O(taints × tolerations) for each node.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_TAINTTOLERATION_TAINTTOLERATION_H_
