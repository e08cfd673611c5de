#include "server/kubernetes/api_response.h"

#include <simdjson.h>

#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/kubernetes/protobuf_envelope.h"

namespace vicinal {
namespace {

constexpr size_t kMaxMessage = 300;

absl::StatusCode CodeOf(int status) {
  switch (status) {
    case 400:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 409:
      return absl::StatusCode::kAborted;
    case 410:
      return absl::StatusCode::kOutOfRange;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    case 504:
      return absl::StatusCode::kDeadlineExceeded;
    default:
      return status >= 500 ? absl::StatusCode::kUnavailable
                           : absl::StatusCode::kUnknown;
  }
}

// The message of a Kubernetes Status object; empty if the body is none.
std::string MessageOf(const ApiResponse& response) {
  const std::string& body = response.body;
  if (response.encoding == Encoding::kProtobuf) {
    const std::optional<ProtobufEnvelope> envelope = OpenProtobuf(body);
    if (!envelope || envelope->kind != "Status") return "";
    return std::string(ReadProtobufStatus(envelope->message).message);
  }
  if (body.capacity() - body.size() < simdjson::SIMDJSON_PADDING) return "";
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  std::string_view message;
  if (parser.iterate(simdjson::padded_string_view(body)).get(document) !=
          simdjson::SUCCESS ||
      document["message"].get_string().get(message) != simdjson::SUCCESS) {
    return "";
  }
  return std::string(message);
}

}  // namespace

absl::Status ApiError(int http_status, const std::string& message) {
  return absl::Status(CodeOf(http_status),
                      absl::StrCat(http_status, ": ", message));
}

absl::Status ToStatus(const ApiResponse& response) {
  if (response.status >= 200 && response.status < 300) return absl::OkStatus();
  std::string message = MessageOf(response);
  if (message.empty())
    message = absl::CEscape(response.body.substr(0, kMaxMessage));
  if (message.size() > kMaxMessage)
    message = message.substr(0, kMaxMessage) + "…";
  return ApiError(response.status, message);
}

}  // namespace vicinal
