// `vicinal serve`: answers the scheduler.
#ifndef VICINAL_SERVER_COMMANDS_SERVE_SERVE_H_
#define VICINAL_SERVER_COMMANDS_SERVE_SERVE_H_

#include "absl/status/status.h"
#include "server/commands/serve/serve_options.h"

namespace vicinal {

// Serves until the process gets SIGTERM or SIGINT; then is not ready any more,
// finishes what is under way, and returns. Once the listeners are bound
// it prints one line to stdout, which ends after admin if there is no gRPC:
//   listening extender=127.0.0.1:8890 admin=127.0.0.1:8891 grpc=127.0.0.1:8892
// Errors: those of Server::Start.
absl::Status Serve(const ServeOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_SERVE_H_
