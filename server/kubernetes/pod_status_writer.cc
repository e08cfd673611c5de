#include "server/kubernetes/pod_status_writer.h"

#include <utility>

#include "absl/status/statusor.h"
#include "core/model/json_writer.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/pod_path.h"

namespace vicinal {
absl::Status PodStatusWriter::SetNominatedNodeName(const ObjectMeta& pod,
                                                   const std::string& node) {
  const absl::StatusOr<std::string> path =
      PodPath(pod.namespace_name, pod.name);
  if (!path.ok()) return path.status();
  ApiRequest request;
  request.method = "PATCH";
  request.content_type = "application/merge-patch+json";
  request.target = *path + "/status";
  request.body = R"({"metadata":{"uid":)";
  AppendJsonString(pod.uid, request.body);
  request.body += R"(},"status":{"nominatedNodeName":)";
  if (node.empty()) {
    request.body += "null";
  } else {
    AppendJsonString(node, request.body);
  }
  request.body += "}}";
  const absl::StatusOr<ApiResponse> response = client_.Send(std::move(request));
  return response.ok() ? ToStatus(*response) : response.status();
}

}  // namespace vicinal
