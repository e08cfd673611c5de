#include "server/commands/serve/confirm_release.h"

#include <glog/logging.h>

#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/commands/serve/api_server.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {
namespace {

// The start waits for no longer than this.
ApiClientOptions Impatient() {
  ApiClientOptions options;
  options.connect_timeout = std::chrono::seconds(2);
  options.handshake_timeout = std::chrono::seconds(2);
  options.response_timeout = std::chrono::seconds(2);
  return options;
}

}  // namespace

absl::StatusOr<SchedulerRelease> FindRelease(const ServeOptions& options) {
  if (absl::Status status = Validate(options); !status.ok()) return status;
  std::string version;
  if (options.HasApiServer()) {
    const absl::StatusOr<ClientConfig> api_server = ApiServerConfigOf(options);
    if (!api_server.ok()) return api_server.status();
    const absl::StatusOr<std::string> answer =
        AskVersion(*api_server, Impatient());
    if (answer.ok()) {
      version = *answer;
    } else {
      LOG(WARNING) << "the API server's release is not known yet: "
                   << answer.status();
    }
  }
  absl::StatusOr<SchedulerRelease> found =
      ChooseRelease(options.release, version);
  if (!found.ok()) return found.status();
  if (!found->mismatch.empty()) {
    if (options.require_same_release) {
      return absl::FailedPreconditionError(found->mismatch);
    }
    LOG(WARNING) << found->mismatch;
  }
  LOG(INFO) << "the answers are those of kube-scheduler "
            << found->release.name;
  return found;
}

absl::Status ConfirmRelease(const ServeOptions& options,
                            const SchedulerRelease& begun,
                            const std::function<bool()>& is_over) {
  if (!options.HasApiServer() || !begun.api_server.empty()) {
    return absl::OkStatus();
  }
  while (!is_over()) {
    const absl::StatusOr<ClientConfig> api_server = ApiServerConfigOf(options);
    if (!api_server.ok()) continue;  // The file may be being changed.
    const absl::StatusOr<std::string> version = AskVersion(*api_server, {});
    if (!version.ok()) continue;
    const absl::StatusOr<SchedulerRelease> found =
        ChooseRelease(options.release, *version);
    if (!found.ok()) return found.status();
    if (options.require_same_release && !found->mismatch.empty()) {
      return absl::FailedPreconditionError(found->mismatch);
    }
    if (found->release == begun.release) {
      if (!found->mismatch.empty()) LOG(WARNING) << found->mismatch;
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(absl::StrCat(
        "the API server is ", *version,
        ", which it has not told at the start: start again to answer as "
        "kube-scheduler ",
        std::string(found->release.name)));
  }
  return absl::OkStatus();
}

}  // namespace vicinal
