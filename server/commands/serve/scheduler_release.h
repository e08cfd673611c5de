// Which Kubernetes release's answers a server gives.
#ifndef VICINAL_SERVER_COMMANDS_SERVE_SCHEDULER_RELEASE_H_
#define VICINAL_SERVER_COMMANDS_SERVE_SCHEDULER_RELEASE_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/model/kubernetes_release.h"
#include "server/commands/serve/serve_options.h"

namespace vicinal {

struct SchedulerRelease {
  KubernetesRelease release;  // Whose answers are given.
  std::string api_server;     // Such as "v1.36.3"; "": none, or not known.
  // Why the two do not go together; "": they do, or it is not known.
  std::string mismatch;
};

// `wanted` is --kubernetes-release; without it, it is the API server's release,
// or the one known that is nearest to it. Cost: O(releases). Thread-safe.
SchedulerRelease ChooseRelease(const std::optional<KubernetesRelease>& wanted,
                               const std::string& api_server);

// Asks the API server of the options once, if they have one, for a few seconds
// at most. Without an answer it is as ChooseRelease says; ConfirmRelease is to
// follow. Blocks meanwhile.
//
// Errors: those of Validate; a kubeconfig that cannot be used;
// FailedPrecondition for a mismatch that the options forbid.
absl::StatusOr<SchedulerRelease> FindRelease(const ServeOptions& options);

// If FindRelease had no answer of the API server: asks until there is one or
// `is_over` returns true, which may block for a second or two. Blocks
// meanwhile. FailedPrecondition if the answer shows that the server is to start
// again, as another release or not at all.
absl::Status ConfirmRelease(const ServeOptions& options,
                            const SchedulerRelease& begun,
                            const std::function<bool()>& is_over);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_SCHEDULER_RELEASE_H_
