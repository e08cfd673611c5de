#include "core/plugins/nodename/nodename.h"

#include <memory>
#include <string>

namespace vicinal {
namespace {

class NodeNameFilter : public PreparedFilter {
 public:
  explicit NodeNameFilter(const std::string& node_name)
      : node_name_(node_name) {}

  Status Filter(const NodeInfo& node) const override {
    if (node_name_.empty() || node_name_ == node.Name()) return Status();
    return Status(Code::kUnschedulableAndUnresolvable, NodeName::kReason);
  }

 private:
  const std::string& node_name_;
};

}  // namespace

PreFilterResult NodeName::PreFilter(const ClusterState& cluster,
                                    const PodInfo& pod) const {
  const std::string& node_name = pod.pod.spec.node_name;
  PreFilterResult result;
  if (!node_name.empty() && cluster.release().node_name_narrows) {
    result.node_names = {node_name};
  }
  result.filter = std::make_unique<NodeNameFilter>(node_name);
  return result;
}

}  // namespace vicinal
