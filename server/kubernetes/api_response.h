#ifndef VICINAL_SERVER_KUBERNETES_API_RESPONSE_H_
#define VICINAL_SERVER_KUBERNETES_API_RESPONSE_H_

#include <chrono>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "server/kubernetes/encoding.h"

namespace vicinal {

// An answer of the API server, whatever its status.
struct ApiResponse {
  int status = 0;    // HTTP status code
  std::string body;  // with SIMDJSON_PADDING bytes of spare capacity
  std::optional<std::chrono::seconds> retry_after;
  Encoding encoding = Encoding::kJson;  // of the body, by its Content-Type
};

// The canonical code that fits an HTTP status from 300 on, and the message
// `403: <message>`.
absl::Status ApiError(int http_status, const std::string& message);

// OK for 2xx. Else an ApiError with the message of the Status object in the
// body, or the body itself if it is none; shortened.
absl::Status ToStatus(const ApiResponse& response);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_RESPONSE_H_
