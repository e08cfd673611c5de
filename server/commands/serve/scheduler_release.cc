#include "server/commands/serve/scheduler_release.h"

#include <glog/logging.h>

#include <memory>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/commands/serve/api_server.h"
#include "server/kubernetes/api_version.h"

namespace vicinal {
namespace {

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

absl::StatusOr<SchedulerRelease> FindRelease(
    const ServeOptions& options, const std::function<bool()>& is_over) {
  const absl::StatusOr<std::unique_ptr<ApiServer>> api_server =
      ApiServerOf(options);
  if (!api_server.ok()) return api_server.status();
  std::string version;
  while (*api_server != nullptr) {
    const absl::StatusOr<std::string> answer =
        ReadApiVersion(*(*api_server)->client);
    if (answer.ok()) {
      version = *answer;
      break;
    }
    LOG(WARNING) << "asking for the API server's release: " << answer.status();
    if (options.kubernetes_release && !options.require_same_release) break;
    if (is_over()) {
      return absl::CancelledError("stopped before the API server answered");
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

}  // namespace vicinal
