#include "server/commands/simulate/trace.h"

#include "core/model/json_writer.h"
#include "core/simulate/encode.h"

namespace vicinal {
namespace {

// Appends the objects of one kind, each followed by a comma.
template <typename Kind>
void AppendAll(const SimulatedCluster& simulated, std::string& out) {
  for (const auto& [key, object] : simulated.cluster().All<Kind>()) {
    AppendJson(object, out);
    out += ',';
  }
}

}  // namespace

std::string TraceLine(const SimulatedCluster& simulated, const Pod& pod,
                      const std::string& node) {
  std::string out = R"({"id":{"pod":)";
  AppendJsonString(pod.meta.namespace_name + "/" + pod.meta.name, out);
  out += R"(,"node":)";
  AppendJsonString(node, out);
  out += R"(},"objects":[)";
  for (const NodeInfo* info : simulated.cluster().Nodes()) {
    AppendJson(*info->node, out);
    out += ',';
  }
  AppendAll<Namespace>(simulated, out);
  AppendAll<Service>(simulated, out);
  AppendAll<ReplicationController>(simulated, out);
  AppendAll<ReplicaSet>(simulated, out);
  AppendAll<StatefulSet>(simulated, out);
  for (const auto& [key, other] : simulated.pods()) {
    const Pod known = simulated.PodAt(key);
    if (other.node.empty() && known.status.nominated_node_name.empty()) {
      continue;
    }
    AppendJson(known, out);
    out += ',';
  }
  if (out.back() == ',') out.pop_back();
  out += R"(],"pod":)";
  AppendJson(pod, out);
  out += '}';
  return out;
}

}  // namespace vicinal
