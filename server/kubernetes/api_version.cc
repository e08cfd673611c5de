#include "server/kubernetes/api_version.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/model/json.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"

namespace vicinal {

constexpr char kVersionPath[] = "/version";

absl::StatusOr<std::string> ReadApiVersion(BlockingApiClient& client) {
  ApiRequest request;
  request.target = kVersionPath;
  const absl::StatusOr<ApiResponse> response = client.Send(std::move(request));
  absl::Status status = response.ok() ? ToStatus(*response) : response.status();
  std::string version;
  if (status.ok()) {
    JsonReader reader;
    status = reader.ReadWith(
        simdjson::padded_string(response->body), [&](JsonValue value) {
          return DecodeFields(value, JsonPath(),
                              JsonField{"gitVersion", &version});
        });
  }
  if (status.ok() && version.empty()) {
    status = absl::InvalidArgumentError("gitVersion: required");
  }
  if (status.ok()) return version;
  return absl::Status(status.code(),
                      absl::StrCat(kVersionPath, ": ", status.message()));
}

}  // namespace vicinal
