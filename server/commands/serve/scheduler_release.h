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

// Asks the API server of the options, if they have one; without
// --kubernetes-release until it answers or `is_over` returns true. Blocks
// meanwhile; `is_over` may block for a second or two between the questions.
//
// Errors: as ApiServerOf; FailedPrecondition for a mismatch that the options
// forbid; Cancelled if it is over.
absl::StatusOr<SchedulerRelease> FindRelease(
    const ServeOptions& options, const std::function<bool()>& is_over);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_SCHEDULER_RELEASE_H_
