// What `vicinal serve` can be told. The defaults stand here only; the help text
// shows them from here.
#ifndef VICINAL_SERVER_COMMANDS_SERVE_SERVE_OPTIONS_H_
#define VICINAL_SERVER_COMMANDS_SERVE_SERVE_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "server/commands/release/scheduler_release.h"
#include "server/decisions/decision_writer.h"
#include "server/kubernetes/encoding.h"
#include "server/listeners/extender/extender_service.h"
#include "server/listeners/tls/listener_security.h"
#include "server/state/in_flight_pods.h"
#include "server/state/lead_check.h"

namespace vicinal {

struct ServeOptions {
  std::string listen_address = "127.0.0.1:8890";
  std::string admin_listen_address = "127.0.0.1:8891";
  std::string grpc_listen_address = "none";  // "none": no gRPC.
  // The roles of clients over gRPC, and of those who read decisions, by the
  // common names of their certificates; empty: all may ask, and nothing else.
  // Needs a client CA.
  std::string grpc_roles_file;
  // A question that waits for a pod in flight holds one: there must be more
  // than schedulers.
  int threads = 4;
  std::size_t max_bindings = 256;  // Written at a time.
  std::size_t max_body_bytes = 64 << 20;
  ListenerSecurity security;
  // Who may read /metrics, instead of the clients of security.tls.
  std::string metrics_client_ca_file;
  // Clients without a certificate may ask and bind although there is an API
  // server: every process of this machine can.
  bool allow_anonymous_clients = false;

  // Where the state of the cluster comes from: exactly one of these.
  std::string kubeconfig;
  bool in_cluster = false;
  std::string cluster_file;
  bool grpc_state = false;  // ClusterState.Feed; needs the gRPC listener.
  bool sample = false;      // The embedded sample.

  // What the API server is asked for by the watch.
  Encoding kube_api_encoding = Encoding::kProtobuf;

  ReleaseOptions release;
  // Do not start if it is not that of the API server.
  bool require_same_release = false;

  std::chrono::seconds max_watch_outage{30};
  LeadCheck::Options lead;
  // How long what is under way may take to finish after a signal.
  std::chrono::seconds shutdown_timeout{10};
  ExtenderOptions extender;
  // How long the scheduler waits for a binding: the httpTimeout of the extender
  // entry that has the bindVerb.
  std::chrono::milliseconds bind_timeout{60'000};
  // The scheduler's KubeSchedulerConfiguration; empty: the default profile.
  std::string scheduler_config;
  // Counts only with an API server: without one all questions are hypothetical.
  InFlightPods::Options in_flight;
  bool rescue = true;  // Counts only with an API server, too.
  bool rescue_retry_after_backoff = false;

  std::size_t decisions_kept = 4096;  // The last ones; 1 at least.
  // Where all of them are written; without a path nowhere.
  DecisionWriter::Options decision_log;
  // See LivePage::Options::rules_interval.
  std::chrono::seconds rule_metrics_interval{60};

  bool HasApiServer() const { return in_cluster || !kubeconfig.empty(); }
  bool HasGrpc() const { return grpc_listen_address != "none"; }
};

// InvalidArgument, naming the flags, for options that contradict each other or
// an address that cannot be listened on safely. Reads no file.
absl::Status Validate(const ServeOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_SERVE_OPTIONS_H_
