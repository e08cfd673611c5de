// The release whose answers a server gives, and that of its API server.
#ifndef VICINAL_SERVER_COMMANDS_SERVE_CONFIRM_RELEASE_H_
#define VICINAL_SERVER_COMMANDS_SERVE_CONFIRM_RELEASE_H_

#include <functional>

#include "absl/status/statusor.h"
#include "server/commands/release/scheduler_release.h"
#include "server/commands/serve/serve_options.h"

namespace vicinal {

// Asks the API server of the options once, if they have one, for a few seconds
// at most. Without an answer it is as ChooseRelease says; ConfirmRelease is to
// follow. Blocks meanwhile.
//
// Errors: those of Validate and ChooseRelease; a kubeconfig that cannot be
// used; FailedPrecondition for a mismatch that the options forbid.
absl::StatusOr<SchedulerRelease> FindRelease(const ServeOptions& options);

// If FindRelease had no answer of the API server: asks until there is one or
// `is_over` returns true, which may block for a second or two. Blocks
// meanwhile. FailedPrecondition if the answer shows that the server is to start
// again, as another release or not at all.
absl::Status ConfirmRelease(const ServeOptions& options,
                            const SchedulerRelease& begun,
                            const std::function<bool()>& is_over);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_CONFIRM_RELEASE_H_
