// Which scheduler's answers a command gives: its Kubernetes release and feature
// gates.
#ifndef VICINAL_SERVER_COMMANDS_RELEASE_SCHEDULER_RELEASE_H_
#define VICINAL_SERVER_COMMANDS_RELEASE_SCHEDULER_RELEASE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/model/kubernetes_release.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

struct ReleaseOptions {
  // --kubernetes-release; not set: the API server's, or else the newest.
  std::optional<KubernetesRelease> wanted;
  std::string feature_gates;  // --feature-gates.
};

struct SchedulerRelease {
  KubernetesRelease release;  // Whose answers are given.
  std::string api_server;     // Such as "v1.36.3"; "": none, or not known.
  // Why the two do not go together; "": they do, or it is not known.
  std::string mismatch;
};

// The release that is wanted, or the API server's, or the one known that is
// nearest to it. `api_server` may be "". InvalidArgument names the flag, the
// gate and its value for feature gates with which that release gives other
// answers, or which it does not have. Thread-safe.
absl::StatusOr<SchedulerRelease> ChooseRelease(const ReleaseOptions& options,
                                               const std::string& api_server);

// What the API server says it is. Blocks, as long as `patience` says. Errors:
// those of the connection and of the API server.
absl::StatusOr<std::string> AskVersion(const ClientConfig& api_server,
                                       const ApiClientOptions& patience);

// ChooseRelease for a command that reads the cluster of `api_server`, which is
// asked; null: there is none. Of one that does not answer the newest release is
// taken, and `mismatch` says so. Blocks. Errors: those of ChooseRelease.
absl::StatusOr<SchedulerRelease> ReleaseFor(const ReleaseOptions& options,
                                            const ClientConfig* api_server);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_RELEASE_SCHEDULER_RELEASE_H_
