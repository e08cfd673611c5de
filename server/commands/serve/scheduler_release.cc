#include "server/commands/serve/scheduler_release.h"

#include <glog/logging.h>

#include <chrono>
#include <memory>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/commands/serve/api_server.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/api_version.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {
namespace {

absl::StatusOr<std::string> AskVersion(const ClientConfig& api_server,
                                       const ApiClientOptions& patience) {
  const absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
      BlockingApiClient::Create(api_server, patience);
  if (!client.ok()) return client.status();
  return ReadApiVersion(**client);
}

// The start waits for no longer than this.
ApiClientOptions Impatient() {
  ApiClientOptions options;
  options.connect_timeout = std::chrono::seconds(2);
  options.handshake_timeout = std::chrono::seconds(2);
  options.response_timeout = std::chrono::seconds(2);
  return options;
}

// The number behind "1." or "v1.", -1 if there is none.
int MinorOf(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!version.starts_with("1.")) return -1;
  version.remove_prefix(2);
  int minor = -1;
  return absl::SimpleAtoi(std::string(version.substr(0, version.find('.'))),
                          &minor)
             ? minor
             : -1;
}

// The oldest for what is older than all, or else the newest.
const KubernetesRelease& NearestTo(std::string_view version) {
  const KubernetesRelease& oldest = KubernetesReleases().front();
  const int minor = MinorOf(version);
  return minor >= 0 && minor < MinorOf(oldest.name)
             ? oldest
             : KubernetesReleases().back();
}

}  // namespace

SchedulerRelease ChooseRelease(const std::optional<KubernetesRelease>& wanted,
                               const std::string& api_server) {
  if (api_server.empty()) return {wanted.value_or(KubernetesRelease()), "", ""};
  const absl::StatusOr<KubernetesRelease> known =
      KubernetesReleaseOf(api_server);
  SchedulerRelease chosen;
  chosen.api_server = api_server;
  chosen.release = wanted       ? *wanted
                   : known.ok() ? *known
                                : NearestTo(api_server);
  if (!known.ok() || known->name != chosen.release.name) {
    chosen.mismatch = absl::StrCat(
        "the API server is ", api_server, ", and the answers are those of ",
        "kube-scheduler ", std::string(chosen.release.name),
        wanted ? " (--kubernetes-release)" : ", the nearest release known");
  }
  return chosen;
}

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
  SchedulerRelease found = ChooseRelease(options.kubernetes_release, version);
  if (!found.mismatch.empty()) {
    if (options.require_same_release) {
      return absl::FailedPreconditionError(found.mismatch);
    }
    LOG(WARNING) << found.mismatch;
  }
  LOG(INFO) << "the answers are those of kube-scheduler " << found.release.name;
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
    const SchedulerRelease found =
        ChooseRelease(options.kubernetes_release, *version);
    if (options.require_same_release && !found.mismatch.empty()) {
      return absl::FailedPreconditionError(found.mismatch);
    }
    if (found.release == begun.release) {
      if (!found.mismatch.empty()) LOG(WARNING) << found.mismatch;
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(absl::StrCat(
        "the API server is ", *version,
        ", which it has not told at the start: start again to answer as "
        "kube-scheduler ",
        std::string(found.release.name)));
  }
  return absl::OkStatus();
}

}  // namespace vicinal
