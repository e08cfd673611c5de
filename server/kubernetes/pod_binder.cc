#include "server/kubernetes/pod_binder.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/json_writer.h"
#include "core/model/pod.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"

namespace vicinal {
namespace {

using Outcome = BindResult::Outcome;

std::string ToJson(const PodBinding& binding) {
  std::string json =
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":)";
  AppendJsonString(binding.name, json);
  json += R"(,"namespace":)";
  AppendJsonString(binding.namespace_name, json);
  json += R"(,"uid":)";
  AppendJsonString(binding.uid, json);
  json += R"(},"target":{"apiVersion":"v1","kind":"Node","name":)";
  AppendJsonString(binding.node, json);
  json += "}}";
  return json;
}

std::string PathOf(const PodBinding& binding) {
  return absl::StrCat("/api/v1/namespaces/", binding.namespace_name, "/pods/",
                      binding.name);
}

}  // namespace

BindResult PodBinder::Bind(const PodBinding& binding) {
  ApiRequest request;
  request.method = "POST";
  request.target = PathOf(binding) + "/binding";
  request.body = ToJson(binding);
  const absl::StatusOr<ApiResponse> response = client_.Send(std::move(request));
  if (!response.ok()) {
    return LookAt(
        binding, {Outcome::kUnknown, std::string(response.status().message())});
  }
  const absl::Status status = ToStatus(*response);
  if (status.ok()) return {};
  std::string message(status.message());
  // Of a pod that has a node already the API server says no more than that.
  if (response->status == 409) {
    return LookAt(binding, {Outcome::kRefused, std::move(message)});
  }
  return {response->status >= 500 ? Outcome::kUnknown : Outcome::kRefused,
          std::move(message)};
}

BindResult PodBinder::LookAt(const PodBinding& binding, BindResult failed) {
  ApiRequest request;
  request.target = PathOf(binding);
  const absl::StatusOr<ApiResponse> response = client_.Send(std::move(request));
  if (!response.ok()) return failed;
  if (response->status == 404) {
    failed.outcome = Outcome::kRefused;
    return failed;
  }
  if (!ToStatus(*response).ok()) return failed;
  JsonReader reader;
  const absl::StatusOr<Pod> pod = reader.ReadCopy<Pod>(response->body);
  if (!pod.ok()) return failed;
  const std::string& node = pod->spec.node_name;
  if (pod->meta.uid == binding.uid && node == binding.node) return {};
  if (pod->meta.uid != binding.uid || !node.empty()) {
    failed.outcome = Outcome::kRefused;
  }
  return failed;
}

}  // namespace vicinal
