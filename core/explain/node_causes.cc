#include "core/explain/node_causes.h"

#include <string>

#include "core/explain/describe.h"
#include "core/model/taint.h"
#include "core/plugins/nodename/nodename.h"
#include "core/plugins/nodeunschedulable/nodeunschedulable.h"
#include "core/plugins/tainttoleration/tainttoleration.h"

namespace vicinal {

std::vector<std::size_t> NodeNameCauses::Find(const Refusal& /*refusal*/,
                                              CauseList& causes) {
  return {causes.FindOrAdd("NodeName", [this] {
    Cause cause;
    cause.kind = Cause::Kind::kNodeName;
    cause.plugin = NodeName::kName;
    cause.reason = NodeName::kReason;
    cause.rule = "spec.nodeName";
    cause.wants = "wants the node " + pod_.pod.spec.node_name;
    cause.found = "another node";
    return cause;
  })};
}

std::vector<std::size_t> NodeUnschedulableCauses::Find(
    const Refusal& /*refusal*/, CauseList& causes) {
  return {causes.FindOrAdd("NodeUnschedulable", [] {
    Cause cause;
    cause.kind = Cause::Kind::kUnschedulable;
    cause.plugin = NodeUnschedulable::kName;
    cause.reason = NodeUnschedulable::kReason;
    cause.wants = "wants nodes that are not cordoned (spec.unschedulable)";
    cause.found = "cordoned";
    return cause;
  })};
}

std::vector<std::size_t> TaintTolerationCauses::Find(const Refusal& refusal,
                                                     CauseList& causes) {
  std::vector<std::size_t> found;
  for (const Taint& taint : refusal.node.node->taints) {
    // One by one, so that all of them are told.
    if (FindUntoleratedDoNotScheduleTaint({taint}, pod_.pod.spec.tolerations,
                                          taint_comparisons_) == nullptr) {
      continue;
    }
    const std::string text = Describe(taint);
    found.push_back(causes.FindOrAdd("TaintToleration/" + text, [&] {
      Cause cause;
      cause.kind = Cause::Kind::kTaint;
      cause.plugin = TaintToleration::kName;
      cause.reason = TaintToleration::kReason;
      cause.rule = "spec.tolerations";
      cause.wants = "has no toleration of the taint " + text;
      cause.found = "taint " + text;
      return cause;
    }));
  }
  return found;
}

}  // namespace vicinal
