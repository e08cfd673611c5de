// The command line of vicinal.
#include <glog/logging.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/yaml.h"
#include "server/deschedule/command.h"
#include "server/explain/batch.h"
#include "server/explain/explain_command.h"
#include "server/sample/sample_cluster.h"
#include "server/serve.h"
#include "server/simulate/command.h"

// Read by jemalloc: memory that is free goes back to the system also when
// nothing is allocated any more, as after a large request.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true";
}

namespace vicinal {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitFitsNowhere = 3;

// What the chosen subcommand does, set while the command line is parsed.
using Action = std::function<absl::Status()>;

absl::Status PrintSample(bool as_json) {
  if (!as_json) {
    std::cout << SampleClusterYaml();
    return absl::OkStatus();
  }
  const absl::StatusOr<std::vector<std::string>> documents =
      YamlToJson(SampleClusterYaml());
  if (!documents.ok()) return documents.status();
  for (const std::string& document : *documents) {
    std::cout << document << "\n";
  }
  return absl::OkStatus();
}

// The flags about what is answered, and about pods in flight.
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

void AddServe(CLI::App& app, ServeOptions& options, Action& action) {
  CLI::App* serve = app.add_subcommand(
      "serve", "Answer kube-scheduler's extender calls over HTTP and gRPC.");
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
  serve
      ->add_option_function<int>(
          "--shutdown-timeout",
          [&options](int seconds) {
            options.shutdown_timeout = std::chrono::seconds(seconds);
          },
          "seconds that requests may take to finish after SIGTERM [10]")
      ->check(CLI::NonNegativeNumber)
      ->group("Listeners");

  CLI::Option* kubeconfig =
      serve
          ->add_option("--kubeconfig", options.kubeconfig,
                       "watch the API server of this file's current context")
          ->group("Cluster state (none of them: an embedded sample)");
  CLI::Option* in_cluster =
      serve
          ->add_flag("--in-cluster", options.in_cluster,
                     "watch the API server of the cluster this pod runs in")
          ->group("Cluster state (none of them: an embedded sample)");
  CLI::Option* cluster_file =
      serve
          ->add_option("--cluster-file", options.cluster_file,
                       "read a List, JSON or YAML, as made by kubectl get "
                       "nodes,pods,namespaces,services,replicasets,"
                       "statefulsets,replicationcontrollers -A -o json")
          ->group("Cluster state (none of them: an embedded sample)");
  CLI::Option* grpc_state =
      serve
          ->add_flag("--grpc-state", options.grpc_state,
                     "be told over gRPC: vicinal.v1.ClusterState/Feed")
          ->group("Cluster state (none of them: an embedded sample)");
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
      ->group("Cluster state (none of them: an embedded sample)");

  AddScheduling(serve, options);
  serve->callback(
      [&options, &action] { action = [&options] { return Serve(options); }; });
}
void AddSample(CLI::App& app, Action& action) {
  CLI::App* sample =
      app.add_subcommand("sample", "Print the embedded sample cluster.");
  const auto output = std::make_shared<std::string>("yaml");
  sample->add_option("-o,--output", *output, "yaml or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"yaml", "json"}));
  sample->callback([&action, output] {
    action = [output] { return PrintSample(*output == "json"); };
  });
}

void AddExplain(CLI::App& app, ExplainOptions& options, Action& action,
                int& exit_code) {
  CLI::App* explain =
      app.add_subcommand("explain", "Explain where pods can go, and why.");
  const std::string cluster = "The cluster (exactly one)";
  const std::string question = "The question (exactly one)";
  const std::string description =
      "answer one case per line of the standard input, without a cluster; the "
      "format is in test/conformance/README.md";
  CLI::Option* batch =
      explain->add_flag("--batch", description)->group(question);
  explain
      ->add_option("-f,--filename", options.manifest,
                   "explain the pods of this manifest, - for the standard "
                   "input: a Pod, or a workload with a pod template")
      ->group(question);
  explain
      ->add_option("--pod", options.pod,
                   "explain this pod of the cluster: namespace/name")
      ->group(question);
  explain
      ->add_option("--cluster-file", options.cluster_file,
                   "a cluster as a List, JSON or YAML; see below")
      ->group(cluster);
  explain
      ->add_option("--kubeconfig", options.kubeconfig,
                   "list the cluster of this file's current context")
      ->group(cluster);
  explain
      ->add_option("--scheduler-config", options.scheduler_config,
                   "the KubeSchedulerConfiguration (v1) of the scheduler: "
                   "plugin arguments and score weights are taken from the "
                   "profile that the pod names")
      ->group("Scheduling");
  explain->add_option("-o,--output", options.output, "table, json or yaml")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->group("Output");
  explain
      ->add_option("--nodes", options.max_nodes,
                   "nodes in each table, 0 for all")
      ->capture_default_str()
      ->group("Output");
  explain
      ->add_option("--html", options.html,
                   "also draw the answer as one self-contained page")
      ->group("Output");
  explain->footer(absl::StrCat(
      "A cluster file is the output of\n  ", kClusterFileCommand,
      "\n\nExit status: 0 each pod fits on some node; ", kExitFitsNowhere,
      " a pod fits nowhere; 1 no answer\n(a file or field that cannot be read, "
      "no connection); 2 wrong options."));
  explain->callback([&options, &action, &exit_code, batch] {
    if (batch->count() > 0) {
      action = [] { return ExplainBatch(std::cin, std::cout); };
      return;
    }
    if (options.manifest.empty() == options.pod.empty()) {
      throw CLI::ValidationError(
          "explain", "exactly one of --filename, --pod and --batch is wanted");
    }
    if (options.cluster_file.empty() == options.kubeconfig.empty()) {
      throw CLI::ValidationError(
          "explain",
          "exactly one of --cluster-file and --kubeconfig is wanted");
    }
    action = [&options, &exit_code] {
      bool fits = true;
      absl::Status status = RunExplain(options, std::cout, std::cerr, &fits);
      if (!fits) exit_code = kExitFitsNowhere;
      return status;
    };
  });
}

int Main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  FLAGS_logtostderr = true;
  google::InitGoogleLogging(argv[0]);

  CLI::App app("vicinal: the neighbourhood index for kube-scheduler");
  app.require_subcommand(1);
  app.add_option("-v,--verbosity", FLAGS_v, "log verbosity (glog)")
      ->capture_default_str();
  Action action;
  ServeOptions serve_options;
  AddServe(app, serve_options, action);
  ExplainOptions explain_options;
  int exit_code = EXIT_SUCCESS;  // Of an answer that is no error.
  AddExplain(app, explain_options, action, exit_code);
  AddSample(app, action);
  AddSimulate(app, action, exit_code);
  AddDeschedule(app, action, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : kExitUsage;
  }
  const absl::Status status = action();
  if (status.ok()) return exit_code;
  std::cerr << "vicinal: " << std::string(status.message()) << "\n";
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace vicinal

int main(int argc, char** argv) { return vicinal::Main(argc, argv); }
