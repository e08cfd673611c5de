#include "server/serve_command.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "server/serve.h"

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
                   "<IP>:<port> of /healthz, /readyz and /metrics")
      ->capture_default_str()
      ->group("Listeners");
  serve
      ->add_option("--grpc-listen-address", options.grpc_listen_address,
                   "<IP>:<port> of the gRPC services, or none")
      ->capture_default_str()
      ->group("Listeners");
  serve
      ->add_option("--threads", options.threads,
                   "threads that answer the scheduler")
      ->capture_default_str()
      ->check(CLI::Range(1, 256))
      ->group("Listeners");
  serve
      ->add_option("--bind-threads", options.bind_threads,
                   "bindings that are written at a time; others queue")
      ->capture_default_str()
      ->check(CLI::Range(1, 256))
      ->group("Listeners");
  serve
      ->add_option("--max-body-bytes", options.max_body_bytes,
                   "largest request body or gRPC message; a larger one is "
                   "refused with 413, respectively RESOURCE_EXHAUSTED")
      ->capture_default_str()
      ->group("Listeners");
  serve
      ->add_option_function<int>(
          "--shutdown-timeout",
          [&options](int seconds) {
            options.shutdown_timeout = std::chrono::seconds(seconds);
          },
          "seconds that requests may take to finish after SIGTERM [10]")
      ->check(CLI::NonNegativeNumber)
      ->group("Listeners");
}

void AddTls(CLI::App* serve, ServeOptions& options) {
  CLI::Option* cert_file =
      serve
          ->add_option("--tls-cert-file", options.tls.cert_file,
                       "PEM certificate, with its chain, of all listeners; "
                       "read again when it changes")
          ->group("TLS");
  CLI::Option* private_key_file =
      serve
          ->add_option("--tls-private-key-file", options.tls.private_key_file,
                       "PEM private key of --tls-cert-file, not encrypted")
          ->group("TLS");
  cert_file->needs(private_key_file);
  private_key_file->needs(cert_file);
  serve
      ->add_option("--client-ca-file", options.tls.client_ca_file,
                   "PEM certificates; clients must have one signed by any of "
                   "them, but for /healthz and /readyz")
      ->needs(cert_file)
      ->group("TLS");
  const std::map<std::string, TlsVersion> tls_versions = {
      {"VersionTLS12", TlsVersion::k12}, {"VersionTLS13", TlsVersion::k13}};
  serve
      ->add_option_function<std::string>(
          "--tls-min-version",
          [&options, tls_versions](const std::string& name) {
            options.tls.min_version = tls_versions.at(name);
          },
          "VersionTLS12 [default] or VersionTLS13")
      ->check(CLI::IsMember(tls_versions))
      ->group("TLS");
  serve
      ->add_flag("--allow-insecure-listen", options.allow_insecure_listen,
                 "let others than this machine reach listeners without TLS")
      ->group("TLS");
}

// The flags about where the state of the cluster comes from.
void AddClusterState(CLI::App* serve, ServeOptions& options) {
  constexpr char kClusterState[] =
      "Cluster state (none of them: an embedded sample)";
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
          ->add_option("--cluster-file", options.cluster_file,
                       "read a List, JSON or YAML, as made by kubectl get "
                       "nodes,pods,namespaces,services,replicasets,"
                       "statefulsets,replicationcontrollers -A -o json")
          ->group(kClusterState);
  CLI::Option* grpc_state =
      serve
          ->add_flag("--grpc-state", options.grpc_state,
                     "be told over gRPC: vicinal.v1.ClusterState/Feed")
          ->group(kClusterState);
  kubeconfig->excludes(in_cluster)->excludes(cluster_file);
  in_cluster->excludes(cluster_file);
  grpc_state->excludes(kubeconfig)
      ->excludes(in_cluster)
      ->excludes(cluster_file);
  serve
      ->add_option_function<int>(
          "--max-watch-outage",
          [&options](int seconds) {
            options.max_watch_outage = std::chrono::seconds(seconds);
          },
          "seconds a watch may be broken before questions are refused "
          "[30]")
      ->check(CLI::NonNegativeNumber)
      ->group(kClusterState);
}

// The flags about what is answered.
void AddScheduling(CLI::App* serve, ServeOptions& options) {
  const std::map<std::string, ExtenderMode> modes = {
      {"decide", ExtenderMode::kDecide}, {"advise", ExtenderMode::kAdvise}};
  serve
      ->add_option_function<std::string>(
          "--mode",
          [&options, modes](const std::string& name) {
            options.extender.mode = modes.at(name);
          },
          "decide: filter answers the one node that the scheduler would "
          "choose [default]; advise: filter answers all nodes that fit, and "
          "prioritize scores them")
      ->check(CLI::IsMember(modes))
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
  const std::map<std::string, ScoreScale> scales = {
      {"exact", ScoreScale::kExact}, {"extender", ScoreScale::kExtender}};
  serve
      ->add_option_function<std::string>(
          "--score-scale",
          [&options, scales](const std::string& name) {
            options.extender.score_scale = scales.at(name);
          },
          "of prioritize. exact: 0-400, reproduces the in-tree sums with all "
          "other score weights x10 [default]; extender: 0-10")
      ->check(CLI::IsMember(scales))
      ->group("Scheduling");

  serve
      ->add_option("--rescue", options.rescue,
                   "true: nominate pods that fit no node of the scheduler's "
                   "sample for the best node of the cluster; false: leave "
                   "them pending [true]")
      ->group("Scheduling");
  serve
      ->add_option_function<std::string>(
          "--rescue-retry",
          [&options](const std::string& when) {
            options.rescue_retry_after_backoff = when == "after-backoff";
          },
          "at-once: a rescued pod is tried again at once, and some a third "
          "time [default]; after-backoff: never a third time, but a second "
          "later, since the first attempt ends with an error")
      ->check(CLI::IsMember({"at-once", "after-backoff"}))
      ->group("Scheduling");
}

// The flags about pods in flight.
void AddInFlight(CLI::App* serve, ServeOptions& options) {
  constexpr char kInFlight[] =
      "Pods in flight (answered, and not known to be bound yet)";
  serve
      ->add_option_function<int>(
          "--in-flight-wait",
          [&options](int milliseconds) {
            options.in_flight.max_wait =
                std::chrono::milliseconds(milliseconds);
          },
          "milliseconds that a question waits for pods in flight that matter "
          "to it before it ends in an error; should be less than the "
          "extender's httpTimeout [3000]")
      ->check(CLI::NonNegativeNumber)
      ->group(kInFlight);
  serve
      ->add_option_function<int>(
          "--in-flight-deadline",
          [&options](int seconds) {
            options.in_flight.deadline = std::chrono::seconds(seconds);
          },
          "seconds until a pod whose outcome stays unknown is no longer "
          "counted on its node; a binding that comes later is checked against "
          "the rules first [60]")
      ->check(CLI::PositiveNumber)
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
  AddTls(serve, *options);
  AddClusterState(serve, *options);
  AddScheduling(serve, *options);
  AddInFlight(serve, *options);
  serve->callback(
      [options, &action] { action = [options] { return Serve(*options); }; });
}

}  // namespace vicinal
