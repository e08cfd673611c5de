#include "server/commands/release/scheduler_release.h"

#include <memory>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/model/feature_gates.h"
#include "core/model/kubernetes_version.h"
#include "server/kubernetes/api_version.h"
#include "server/kubernetes/blocking_api_client.h"

namespace vicinal {
namespace {

// The oldest for what is older than all, or else the newest.
const KubernetesRelease& NearestTo(std::string_view version) {
  const KubernetesRelease& oldest = KubernetesReleases().front();
  const std::optional<int> minor = KubernetesMinorOf(version);
  return minor && *minor < *KubernetesMinorOf(oldest.name)
             ? oldest
             : KubernetesReleases().back();
}

}  // namespace

absl::StatusOr<SchedulerRelease> ChooseRelease(const ReleaseOptions& options,
                                               const std::string& api_server) {
  SchedulerRelease chosen;
  chosen.release = options.wanted.value_or(KubernetesRelease());
  chosen.api_server = api_server;
  if (!api_server.empty()) {
    const absl::StatusOr<KubernetesRelease> known =
        KubernetesReleaseOf(api_server);
    if (!options.wanted) {
      chosen.release = known.ok() ? *known : NearestTo(api_server);
    }
    if (!known.ok() || known->name != chosen.release.name) {
      chosen.mismatch = absl::StrCat(
          "the API server is ", api_server, ", and the answers are those of ",
          "kube-scheduler ", std::string(chosen.release.name),
          options.wanted ? " (--kubernetes-release)"
                         : ", the nearest release known");
    }
  }
  const absl::StatusOr<KubernetesRelease> gated =
      WithFeatureGates(chosen.release, options.feature_gates);
  if (!gated.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--feature-gates: ", gated.status().message()));
  }
  chosen.release = *gated;
  return chosen;
}

absl::StatusOr<std::string> AskVersion(const ClientConfig& api_server,
                                       const ApiClientOptions& patience) {
  const absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
      BlockingApiClient::Create(api_server, patience);
  if (!client.ok()) return client.status();
  return ReadApiVersion(**client);
}

absl::StatusOr<SchedulerRelease> ReleaseFor(const ReleaseOptions& options,
                                            const ClientConfig* api_server) {
  if (api_server == nullptr) return ChooseRelease(options, "");
  const absl::StatusOr<std::string> version = AskVersion(*api_server, {});
  absl::StatusOr<SchedulerRelease> chosen =
      ChooseRelease(options, version.ok() ? *version : "");
  if (chosen.ok() && !version.ok() && !options.wanted) {
    chosen->mismatch =
        absl::StrCat("the answers are those of kube-scheduler ",
                     std::string(chosen->release.name),
                     ": the API server does not tell its release: ",
                     version.status().message());
  }
  return chosen;
}

}  // namespace vicinal
