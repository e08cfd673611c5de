#include "server/commands/simulate/trace.h"

#include "core/model/api_resources.h"
#include "core/model/json_writer.h"
#include "core/simulate/append_json.h"

namespace vicinal {

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
  ForEachOtherKind([&]<typename Kind>(Kind*) {
    for (const auto& [key, object] : simulated.cluster().All<Kind>()) {
      AppendJson(object, out);
      out += ',';
    }
  });
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
