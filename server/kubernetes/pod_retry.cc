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
  ApiRequest request;
  request.method = "PATCH";
  request.content_type = "application/merge-patch+json";
  request.target = absl::StrCat("/api/v1/namespaces/", pod.namespace_name,
                                "/pods/", pod.name, "/status");
  request.body = R"({"metadata":{"uid":)";
  AppendJsonString(pod.uid, request.body);
  request.body += absl::StrCat(
      R"(,"annotations":{")", kTryAgainAnnotation, R"(":")",
      absl::FormatTime(absl::RFC3339_full, absl::Now(), absl::UTCTimeZone()),
      R"("}}})");
  pool.Run([&pool, request] { return Write(pool, request); });
}

}  // namespace vicinal
