#include "core/plugins/nodeunschedulable/nodeunschedulable.h"

#include <memory>

#include "core/model/taint.h"

namespace vicinal {
namespace {

class NodeUnschedulableFilter : public PreparedFilter {
 public:
  explicit NodeUnschedulableFilter(bool tolerated) : tolerated_(tolerated) {}

  Status Filter(const NodeInfo& node) const override {
    if (tolerated_ || !node.node->unschedulable) return Status();
    return Status(Code::kUnschedulableAndUnresolvable,
                  NodeUnschedulable::kReason);
  }

 private:
  const bool tolerated_;
};

}  // namespace

PreFilterResult NodeUnschedulable::PreFilter(const ClusterState& cluster,
                                             const PodInfo& pod) const {
  const Taint taint = {"node.kubernetes.io/unschedulable", "", kNoSchedule};
  PreFilterResult result;
  result.filter = std::make_unique<NodeUnschedulableFilter>(Tolerate(
      pod.pod.spec.tolerations, taint, cluster.release().taint_comparisons));
  return result;
}

}  // namespace vicinal
