// `vicinal serve`: answers the scheduler over HTTP.
#ifndef VICINAL_SERVER_SERVE_H_
#define VICINAL_SERVER_SERVE_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "server/listeners/extender/extender_service.h"
#include "server/listeners/tls/server_tls.h"
#include "server/state/in_flight_pods.h"

namespace vicinal {

struct ServeOptions {
  std::string listen_address = "127.0.0.1:8890";
  std::string admin_listen_address = "127.0.0.1:8891";
  std::string grpc_listen_address = "127.0.0.1:8892";  // "none": no gRPC.
  // A question that waits for a pod in flight holds one: there must be more
  // than schedulers.
  int threads = 4;
  int bind_threads = 16;
  std::size_t max_body_bytes = 64 << 20;

  // Of all listeners; without a certificate they have no TLS, and must be
  // reachable from this machine only unless allow_insecure_listen.
  TlsOptions tls;
  bool allow_insecure_listen = false;

  // Where the state of the cluster comes from: at most one of these; with none
  // of them the embedded sample.
  std::string kubeconfig;
  bool in_cluster = false;
  std::string cluster_file;
  bool grpc_state = false;  // ClusterState.Feed; needs the gRPC listener.

  std::chrono::seconds max_watch_outage{30};
  // How long what is under way may take to finish after a signal.
  std::chrono::seconds shutdown_timeout{10};
  ExtenderOptions extender;
  // The scheduler's KubeSchedulerConfiguration; empty: the default profile.
  std::string scheduler_config;
  // Counts only with an API server: without one all questions are hypothetical.
  InFlightPods::Options in_flight;
  bool rescue = true;  // Counts only with an API server, too.
  bool rescue_retry_after_backoff = false;
};

// Serves until the process gets SIGTERM or SIGINT; then is not ready any more,
// finishes what is under way, and returns. Once the listeners are bound
// it prints one line to stdout, which ends after admin if there is no gRPC:
//   listening extender=127.0.0.1:8890 admin=127.0.0.1:8891 grpc=127.0.0.1:8892
// Errors: options or files that cannot be used.
absl::Status Serve(const ServeOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_SERVE_H_
