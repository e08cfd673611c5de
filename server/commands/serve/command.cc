#include "server/commands/serve/command.h"

#include <chrono>
#include <memory>
#include <string>

#include "core/model/api_resources.h"
#include "server/commands/flags/decision_flags.h"
#include "server/commands/flags/flags.h"
#include "server/commands/release/release_flags.h"
#include "server/commands/serve/serve.h"
#include "server/commands/serve/serve_options.h"
#include "server/kubernetes/encoding.h"

namespace vicinal {
namespace {

void AddListeners(CLI::App* serve, ServeOptions& options) {
  serve
      ->add_option("--listen-address", options.listen_address,
                   "<IP>:<port> of the extender; port 0 takes a free one")
      ->capture_default_str()
      ->group("Listeners");
  serve
      ->add_option("--admin-listen-address", options.admin_listen_address,
                   "<IP>:<port> of /healthz, /readyz, /leadz, /metrics, "
                   "/decisions and /page")
      ->capture_default_str()
      ->group("Listeners");
  serve
      ->add_option("--grpc-listen-address", options.grpc_listen_address,
                   "<IP>:<port> of the gRPC services, or none")
      ->capture_default_str()
      ->group("Listeners");
  serve
      ->add_option("--grpc-roles-file", options.grpc_roles_file,
                   "what gRPC clients may do, by the common name of their "
                   "certificate: a YAML mapping of names to lists of ask "
                   "(all of Extender but Bind), bind, feed and "
                   "read (Snapshot, and /decisions and /page of the admin "
                   "listener). "
                   "Default: all who have a certificate may ask")
      ->group("Listeners");
  serve
      ->add_option("--threads", options.threads,
                   "threads that answer the scheduler")
      ->capture_default_str()
      ->check(CLI::Range(1, 256))
      ->group("Listeners");
  serve
      ->add_option("--max-body-bytes", options.max_body_bytes,
                   "largest request body or gRPC message; a larger one is "
                   "refused with 413, respectively RESOURCE_EXHAUSTED")
      ->capture_default_str()
      ->group("Listeners");
  AddDuration<std::chrono::seconds>(
      serve, "--shutdown-timeout", options.shutdown_timeout,
      "seconds that requests may take to finish after SIGTERM")
      ->check(CLI::NonNegativeNumber)
      ->group("Listeners");
}

// The flags about where the state of the cluster comes from.
void AddClusterState(CLI::App* serve, ServeOptions& options) {
  constexpr char kClusterState[] = "Cluster state (exactly one)";
  CLI::Option* kubeconfig =
      serve
          ->add_option("--kubeconfig", options.kubeconfig,
                       "watch the API server of this file's current context")
          ->group(kClusterState);
  CLI::Option* in_cluster =
      serve
          ->add_flag("--in-cluster", options.in_cluster,
                     "watch the API server of the cluster this pod runs in")
          ->group(kClusterState);
  CLI::Option* cluster_file =
      serve
          ->add_option(
              "--cluster-file", options.cluster_file,
              "read a List, JSON or YAML, as made by " + ClusterFileCommand())
          ->group(kClusterState);
  CLI::Option* grpc_state =
      serve
          ->add_flag("--grpc-state", options.grpc_state,
                     "be told over gRPC: vicinal.v1.ClusterState/Feed")
          ->group(kClusterState);
  CLI::Option* sample =
      serve
          ->add_flag("--sample", options.sample,
                     "an embedded cluster, to try things out; `vicinal sample` "
                     "prints it")
          ->group(kClusterState);
  sample->excludes(kubeconfig)
      ->excludes(in_cluster)
      ->excludes(cluster_file)
      ->excludes(grpc_state);
  kubeconfig->excludes(in_cluster)->excludes(cluster_file);
  in_cluster->excludes(cluster_file);
  grpc_state->excludes(kubeconfig)
      ->excludes(in_cluster)
      ->excludes(cluster_file);
  AddChoice<Encoding>(
      serve, "--kube-api-content-type", options.kube_api_encoding,
      {{kProtobufMediaType, Encoding::kProtobuf},
       {kJsonMediaType, Encoding::kJson}},
      "what the API server is asked for by the watch. Protobuf, which "
      "kube-scheduler's own watch has, costs it less; a server that answers in "
      "JSON all the same is understood")
      ->group(kClusterState);
  AddReleaseFlags(serve, kClusterState, options.release);
  serve
      ->add_flag("--require-same-release", options.require_same_release,
                 "do not start if the API server is of another release than "
                 "the answers; else that is a warning and a metric")
      ->group(kClusterState);
  AddDuration<std::chrono::seconds>(
      serve, "--max-watch-outage", options.max_watch_outage,
      "seconds a watch may be broken before questions are refused")
      ->check(CLI::NonNegativeNumber)
      ->group(kClusterState);
  AddDuration<std::chrono::seconds>(
      serve, "--max-lead-outage", options.lead.max_unable,
      "seconds that questions, or all bindings, may be refused before /leadz "
      "fails")
      ->check(CLI::NonNegativeNumber)
      ->group(kClusterState);
}

// The flags about what is answered.
void AddScheduling(CLI::App* serve, ServeOptions& options) {
  AddChoice<ExtenderMode>(
      serve, "--mode", options.extender.mode,
      {{"decide", ExtenderMode::kDecide}, {"advise", ExtenderMode::kAdvise}},
      "decide: filter answers the one node that the scheduler would choose; "
      "advise: filter answers all nodes that fit, and prioritize scores them")
      ->group("Scheduling");
  serve
      ->add_option(
          "--scheduler-config", options.scheduler_config,
          "the KubeSchedulerConfiguration (v1) that kube-scheduler runs with: "
          "score plugins, weights and plugin arguments are taken from the "
          "profile that a pod names in spec.schedulerName. PodTopologySpread "
          "and InterPodAffinity, disabled there because vicinal takes them "
          "over, weigh 2 (20 x the extender's weight if it has a "
          "prioritizeVerb and the other weights are multiplied by ten). With "
          "--mode=decide a score plugin that vicinal does not have is refused; "
          "VolumeBinding and DynamicResources at their default weights are "
          "let pass and score nothing. Default: the default profile, for "
          "every pod")
      ->group("Scheduling");
  serve
      ->add_option("--seed", options.extender.seed,
                   "of the choice among nodes of equal score; default: another "
                   "one at each start")
      ->group("Scheduling");
  AddChoice<ScoreScale>(
      serve, "--score-scale", options.extender.score_scale,
      {{"exact", ScoreScale::kExact}, {"extender", ScoreScale::kExtender}},
      "of prioritize. exact: 0-400, reproduces the in-tree sums with all other "
      "score weights x10; extender: 0-10")
      ->group("Scheduling");
  AddBool(serve, "--rescue", options.rescue,
          "true: nominate pods that fit no node of the scheduler's sample for "
          "the best node of the cluster; false: leave them pending")
      ->group("Scheduling");
  AddChoice<bool>(
      serve, "--rescue-retry", options.rescue_retry_after_backoff,
      {{"at-once", false}, {"after-backoff", true}},
      "at-once: a rescued pod is tried again at once, and some a third time; "
      "after-backoff: never a third time, but a second later, since the first "
      "attempt ends with an error")
      ->group("Scheduling");
}

// The flags about pods in flight.
void AddInFlight(CLI::App* serve, ServeOptions& options) {
  constexpr char kInFlight[] =
      "Pods in flight (answered, and not known to be bound yet)";
  AddDuration<std::chrono::milliseconds>(
      serve, "--in-flight-wait", options.in_flight.max_wait,
      "milliseconds that a question waits for pods in flight that "
      "matter to it before it ends in an error; should be less than "
      "the extender's httpTimeout")
      ->check(CLI::NonNegativeNumber)
      ->group(kInFlight);
  AddDuration<std::chrono::seconds>(
      serve, "--in-flight-deadline", options.in_flight.deadline,
      "seconds until a pod whose outcome stays unknown is no longer counted on "
      "its node; a binding that comes later is checked against the rules first")
      ->check(CLI::PositiveNumber)
      ->group(kInFlight);
  AddDuration<std::chrono::milliseconds>(
      serve, "--in-flight-unseen-deadline", options.in_flight.unseen_deadline,
      "milliseconds that a pod counts on its node although the API server has "
      "not told of it: it may not exist")
      ->check(CLI::PositiveNumber)
      ->group(kInFlight);
  AddDuration<std::chrono::seconds>(
      serve, "--bind-timeout", options.bind_timeout,
      "seconds that the scheduler waits for a binding, the httpTimeout of the "
      "extender with the bindVerb: a binding that has waited longer is not "
      "written")
      ->check(CLI::PositiveNumber)
      ->group(kInFlight);
  serve
      ->add_option("--max-bindings", options.max_bindings,
                   "bindings that are written at a time, each over a "
                   "connection of its own; others queue, and filter waits "
                   "once they queue for a second")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096))
      ->group(kInFlight);
  serve
      ->add_flag_callback(
          "--tests-only-no-in-flight-ledger",
          [&options] { options.in_flight.enabled = false; },
          "tests only: forget what was answered, and break rules")
      ->group(kInFlight);
}

}  // namespace

void AddServe(CLI::App& app, std::function<absl::Status()>& action) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App* serve = app.add_subcommand(
      "serve", "Answer kube-scheduler's extender calls over HTTP and gRPC.");
  AddListeners(serve, *options);
  AddListenerSecurity(serve, options->security);
  serve
      ->add_option("--metrics-client-ca-file", options->metrics_client_ca_file,
                   "PEM certificates; who has a client certificate signed by "
                   "any of them may read /metrics, and with the role read "
                   "/decisions and /page, and the clients of --client-ca-file "
                   "may not")
      ->group("TLS");
  serve
      ->add_flag("--allow-anonymous-clients", options->allow_anonymous_clients,
                 "with an API server, but without --client-ca-file: let every "
                 "process that reaches the listeners ask and bind")
      ->group("TLS");
  AddClusterState(serve, *options);
  AddScheduling(serve, *options);
  AddInFlight(serve, *options);
  AddDecisionFlags(serve, "filter", 1, options->decisions_kept,
                   options->decision_log);
  AddRuleMetricsFlag(serve, options->rule_metrics_interval);
  serve->callback(
      [options, &action] { action = [options] { return Serve(*options); }; });
}

}  // namespace vicinal
