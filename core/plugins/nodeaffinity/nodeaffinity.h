// NodeAffinity: the pod's nodeSelector and nodeAffinity, and what the plugin's
// arguments add to them.
//
// Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go.
#ifndef VICINAL_CORE_PLUGINS_NODEAFFINITY_NODEAFFINITY_H_
#define VICINAL_CORE_PLUGINS_NODEAFFINITY_NODEAFFINITY_H_

#include <optional>
#include <span>
#include <string_view>

#include "core/model/node_selector.h"
#include "core/plugins/framework.h"
#include "core/plugins/nodeaffinity/nodeaffinity_args.h"

namespace vicinal {

class NodeAffinityPlugin : public FilterPlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeAffinity";
  static constexpr std::string_view kReasonPod =
      "node(s) didn't match Pod's node affinity/selector";
  static constexpr std::string_view kReasonEnforced =
      "node(s) didn't match scheduler-enforced node affinity";
  static constexpr std::string_view kReasonConflict =
      "pod affinity terms conflict";

  // `args` are valid; see Validate.
  explicit NodeAffinityPlugin(const NodeAffinityArgs& args);

  std::string_view Name() const override { return kName; }

  // Cost of both: O(terms), O(terms × log labels) for each node.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;

 private:
  std::optional<LenientNodeSelector> added_required_;
  std::optional<PreferredSchedulingTerms> added_preferred_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODEAFFINITY_NODEAFFINITY_H_
