// PodTopologySpread, deliberately naive: walks all nodes and pods for each
// question. What the index answers is compared with it.
#ifndef VICINAL_TEST_TRUTH_PODTOPOLOGYSPREAD_H_
#define VICINAL_TEST_TRUTH_PODTOPOLOGYSPREAD_H_

#include <span>
#include <string_view>
#include <vector>

#include "core/model/topology_spread_constraint.h"
#include "core/plugins/framework.h"

namespace vicinal::truth {

class PodTopologySpread : public FilterPlugin, public ScorePlugin {
 public:
  // `defaults`: the constraints for pods that have none; `system_defaulted`:
  // whether they are the system's.
  PodTopologySpread(std::vector<TopologySpreadConstraint> defaults,
                    bool system_defaulted)
      : default_constraints_(std::move(defaults)),
        system_defaulted_(system_defaulted) {}

  std::string_view Name() const override;
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;

 private:
  const std::vector<TopologySpreadConstraint> default_constraints_;
  const bool system_defaulted_;
};

}  // namespace vicinal::truth

#endif  // VICINAL_TEST_TRUTH_PODTOPOLOGYSPREAD_H_
