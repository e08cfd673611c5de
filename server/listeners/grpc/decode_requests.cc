#include "server/listeners/grpc/decode_requests.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/model/json.h"
#include "server/listeners/grpc/from_proto.h"

namespace vicinal {
namespace {

// `Request`: FilterRequest or PrioritizeRequest.
template <typename Request>
absl::Status DecodeCandidates(const Request& message, ExtenderArgs* out) {
  const JsonPath root;
  if (!message.has_pod()) return FieldError(root.Field("pod"), "required");
  absl::Status status = Decode(message.pod(), root.Field("pod"), &out->pod);
  if (!status.ok()) return status;
  const JsonPath names = root.Field("nodeNames");
  if (message.all_nodes() && !message.node_names().empty()) {
    return FieldError(names, "must be empty if allNodes is true");
  }
  if (!message.all_nodes() && message.node_names().empty()) {
    return FieldError(names, "required, unless allNodes is true");
  }
  out->node_names.assign(message.node_names().begin(),
                         message.node_names().end());
  return absl::OkStatus();
}

}  // namespace

absl::Status Decode(const v1::FilterRequest& message, ExtenderArgs* out) {
  absl::Status status = DecodeCandidates(message, out);
  if (message.dry_run()) out->pod.meta.uid.clear();
  return status;
}

absl::Status Decode(const v1::PrioritizeRequest& message, ExtenderArgs* out) {
  return DecodeCandidates(message, out);
}

absl::Status Decode(const v1::PreemptRequest& message,
                    ExtenderPreemptionArgs* out) {
  const JsonPath root;
  if (!message.has_pod()) return FieldError(root.Field("pod"), "required");
  absl::Status status = Decode(message.pod(), root.Field("pod"), &out->pod);
  if (!status.ok()) return status;
  const JsonPath nodes = root.Field("nodeNameToMetaVictims");
  for (const auto& [name, victims] : message.node_name_to_meta_victims()) {
    NodeVictims& node = out->candidates.emplace_back();
    node.node_name = name;
    node.num_pdb_violations = victims.num_pdb_violations();
    const JsonPath here = nodes.Field(name);
    const JsonPath pods = here.Field("pods");
    for (int i = 0; i < victims.pods_size(); ++i) {
      if (victims.pods(i).uid().empty()) {
        return FieldError(pods.Index(static_cast<std::size_t>(i)),
                          "the pod must have a uid");
      }
      node.pod_uids.push_back(victims.pods(i).uid());
    }
  }
  std::ranges::sort(out->candidates, {}, &NodeVictims::node_name);
  return absl::OkStatus();
}

absl::Status Decode(const v1::BindRequest& message, BindingArgs* out) {
  *out = {message.pod_name(), message.pod_namespace(), message.pod_uid(),
          message.node()};
  for (const absl::Status& status :
       {CheckObjectName("podName", out->pod_name),
        CheckObjectName("podNamespace", out->pod_namespace),
        CheckObjectName("node", out->node)}) {
    if (!status.ok()) return status;
  }
  if (out->pod_uid.empty()) {
    const JsonPath root;
    return FieldError(root.Field("podUID"), "required");
  }
  return absl::OkStatus();
}

absl::Status Decode(const v1::ExplainRequest& message,
                    std::variant<Pod, ObjectKey>* out) {
  const JsonPath root;
  switch (message.question_case()) {
    case v1::ExplainRequest::kPod:
      return Decode(message.pod(), root.Field("pod"), &out->emplace<Pod>());
    case v1::ExplainRequest::kKnownPod: {
      const v1::PodName& name = message.known_pod();
      const JsonPath path = root.Field("knownPod");
      if (name.name().empty()) {
        return FieldError(path.Field("name"), "required");
      }
      *out =
          ObjectKey{name.namespace_().empty() ? "default" : name.namespace_(),
                    name.name()};
      return absl::OkStatus();
    }
    case v1::ExplainRequest::QUESTION_NOT_SET:
      break;
  }
  return FieldError(root.Field("pod"), "required, or knownPod");
}

}  // namespace vicinal
