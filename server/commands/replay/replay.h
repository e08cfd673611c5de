// `vicinal replay`: asks a server again about pods that were decided about.
#ifndef VICINAL_SERVER_COMMANDS_REPLAY_REPLAY_H_
#define VICINAL_SERVER_COMMANDS_REPLAY_REPLAY_H_

#include <cstddef>
#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace vicinal {

struct ReplayOptions {
  std::string decision_log;  // "-": the standard input.
  std::string server;        // <host>:<port> of the gRPC services.
  // Files in PEM; without any of them there is no TLS.
  std::string certificate_authority;
  std::string client_certificate;  // These two: both or neither.
  std::string client_key;
  std::size_t most = 1000;      // Pods, those that were decided about last.
  std::string output = "text";  // Or json.
};

// Takes the last choice of each pod, and asks Extender.Explain how the pod
// would be placed now, by the server's configuration, on the cluster that it
// knows. Nothing is placed. Prints how many choices are equal, and the pods
// whose node differs. `differs`: whether any is. Warnings go to `err`. Blocks.
// Errors: what cannot be read; a server that does not answer, or refuses.
absl::Status Replay(const ReplayOptions& options, std::ostream& out,
                    std::ostream& err, bool& differs);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_REPLAY_REPLAY_H_
