// NodeResourcesFit: the node has room for what the pod requests; scored by how
// much of it is in use.
//
// Source: pkg/scheduler/framework/plugins/noderesources/fit.go, with the
// feature gates at their defaults and no device classes (DRA) in the cluster.
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_FIT_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_FIT_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/plugins/framework.h"
#include "core/plugins/noderesources/noderesources_args.h"

namespace vicinal {

class NodeResourcesFit : public FilterPlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesFit";
  static constexpr std::string_view kReasonTooManyPods = "Too many pods";
  // Followed by the resource's name.
  static constexpr std::string_view kReasonInsufficient = "Insufficient ";

  // `args` are valid; see Validate.
  explicit NodeResourcesFit(NodeResourcesFitArgs args)
      : args_(std::move(args)) {}

  std::string_view Name() const override { return kName; }

  // Cost of both: O(containers), O(pods of the node) for each node.
  //
  // The reasons of a node are in upstream's order: pods, cpu, memory, ephemeral
  // storage, then scalar resources, which upstream reports in random order, by
  // name.
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;

 private:
  const NodeResourcesFitArgs args_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_FIT_H_
