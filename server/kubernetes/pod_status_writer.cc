#include "server/kubernetes/pod_status_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/model/field_error.h"
#include "core/model/json_writer.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"

namespace vicinal {
namespace {

// Whether a name may become part of a path: it may have come from a request,
// and the API server need not have seen it.
bool IsName(std::string_view text) {
  return !text.empty() && text != "." && text != ".." &&
         std::ranges::all_of(text, [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '.';
         });
}

}  // namespace

absl::Status PodStatusWriter::SetNominatedNodeName(const ObjectMeta& pod,
                                                   const std::string& node) {
  for (const std::string& name : {pod.namespace_name, pod.name}) {
    if (!IsName(name)) {
      return absl::InvalidArgumentError(
          "not the name of a pod or its namespace: " + Quoted(name));
    }
  }
  ApiRequest request;
  request.method = "PATCH";
  request.content_type = "application/merge-patch+json";
  request.target = absl::StrCat("/api/v1/namespaces/", pod.namespace_name,
                                "/pods/", pod.name, "/status");
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
