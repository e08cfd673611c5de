// InterPodAffinity: pods that want to be, or must not be, near other pods.
//
// Source: pkg/scheduler/framework/plugins/interpodaffinity, with the feature
// gates at their defaults.
#ifndef VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INTERPODAFFINITY_H_
#define VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INTERPODAFFINITY_H_

#include <span>
#include <string_view>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/framework.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"

namespace vicinal {

class InterPodAffinity : public FilterPlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "InterPodAffinity";
  static constexpr std::string_view kReasonAffinity =
      "node(s) didn't match pod affinity rules";
  static constexpr std::string_view kReasonAntiAffinity =
      "node(s) didn't match pod anti-affinity rules";
  static constexpr std::string_view kReasonExistingAntiAffinity =
      "node(s) didn't satisfy existing pods anti-affinity rules";

  explicit InterPodAffinity(InterPodAffinityArgs args) : args_(args) {}

  std::string_view Name() const override { return kName; }

  // Cost: O(labels + terms × nodes with matching pods) for PreFilter, O(terms)
  // for each node.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;

  // Cost: O(labels + terms × nodes with matching pods) for PreScore, O(topology
  // keys) for each node.
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;

 private:
  const InterPodAffinityArgs args_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INTERPODAFFINITY_H_
