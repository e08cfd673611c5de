// `vicinal serve`: answers the scheduler over HTTP.
#ifndef VICINAL_SERVER_SERVE_H_
#define VICINAL_SERVER_SERVE_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "server/extender/extender_service.h"

namespace vicinal {

struct ServeOptions {
  std::string listen_address = "127.0.0.1:8890";
  std::string admin_listen_address = "127.0.0.1:8891";
  int threads = 2;
  std::size_t max_body_bytes = 64 << 20;

  // Where the state of the cluster comes from: at most one of these; with none
  // of them the embedded sample.
  std::string kubeconfig;
  bool in_cluster = false;
  std::string cluster_file;

  std::chrono::seconds max_watch_outage{30};
  ScoreScale score_scale = ScoreScale::kExact;
};

// Serves until the process gets SIGTERM or SIGINT. Once both listeners are
// bound it prints one line to stdout:
//   listening extender=127.0.0.1:8890 admin=127.0.0.1:8891
// Errors: options or files that cannot be used.
absl::Status Serve(const ServeOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_SERVE_H_
