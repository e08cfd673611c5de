#include "server/simulate/trace.h"

#include "core/model/json_writer.h"
#include "core/simulate/encode.h"

namespace vicinal {
namespace {

// Appends the objects of one kind, each followed by a comma.
template <typename Kind>
void AppendAll(const World& world, std::string& out) {
  for (const auto& [key, object] : world.cluster().All<Kind>()) {
    AppendJson(object, out);
    out += ',';
  }
}

}  // namespace

std::string TraceLine(const World& world, const Pod& pod,
                      const std::string& node) {
  std::string out = R"({"id":{"pod":)";
  AppendJsonString(pod.meta.namespace_name + "/" + pod.meta.name, out);
  out += R"(,"node":)";
  AppendJsonString(node, out);
  out += R"(},"objects":[)";
  for (const NodeInfo* info : world.cluster().Nodes()) {
    AppendJson(*info->node, out);
    out += ',';
  }
  AppendAll<Namespace>(world, out);
  AppendAll<Service>(world, out);
  AppendAll<ReplicationController>(world, out);
  AppendAll<ReplicaSet>(world, out);
  AppendAll<StatefulSet>(world, out);
  for (const auto& [key, other] : world.pods()) {
    const Pod known = world.PodAt(key);
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
