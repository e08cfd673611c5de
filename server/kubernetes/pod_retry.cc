#include "server/kubernetes/pod_retry.h"

#include <glog/logging.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/model/json_writer.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/pod_path.h"

namespace vicinal {
namespace {

boost::asio::awaitable<void> Write(ApiClientPool& pool, ApiRequest request) {
  const absl::StatusOr<ApiClientPool::Lease> client = co_await pool.Take();
  absl::Status status = client.status();
  const std::string target = request.target;
  if (status.ok()) {
    const absl::StatusOr<ApiResponse> response =
        co_await (*client)->Send(std::move(request));
    status = response.ok() ? ToStatus(*response) : response.status();
  }
  LOG_IF(WARNING, !status.ok() && !absl::IsNotFound(status))
      << "PATCH " << target << ", to have the pod tried again: " << status;
}

}  // namespace

void TryAgain(const ObjectMeta& pod, ApiClientPool& pool) {
  const absl::StatusOr<std::string> path =
      PodPath(pod.namespace_name, pod.name);
  if (!path.ok()) {
    LOG(WARNING) << "to have a pod tried again: " << path.status();
    return;
  }
  ApiRequest request;
  request.method = "PATCH";
  request.content_type = "application/merge-patch+json";
  request.target = *path + "/status";
  request.body = R"({"metadata":{"uid":)";
  AppendJsonString(pod.uid, request.body);
  request.body += absl::StrCat(
      R"(,"annotations":{")", kTryAgainAnnotation, R"(":")",
      absl::FormatTime(absl::RFC3339_full, absl::Now(), absl::UTCTimeZone()),
      R"("}}})");
  pool.Run([&pool, request] { return Write(pool, request); });
}

}  // namespace vicinal
