// The command line of vicinal.
#include <glog/logging.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/model/yaml.h"
#include "server/explain/batch.h"
#include "server/sample/sample_cluster.h"
#include "server/serve.h"

// Read by jemalloc: memory that is free goes back to the system also when
// nothing is allocated any more, as after a large request.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true";
}

namespace vicinal {
namespace {

constexpr int kExitUsage = 2;

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

void AddServe(CLI::App& app, ServeOptions& options, Action& action) {
  CLI::App* serve = app.add_subcommand(
      "serve", "Answer kube-scheduler's extender calls over HTTP.");
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
      ->add_option("--threads", options.threads,
                   "threads that answer the scheduler")
      ->capture_default_str()
      ->check(CLI::Range(1, 256))
      ->group("Listeners");
  serve
      ->add_option("--max-body-bytes", options.max_body_bytes,
                   "largest request body; a larger one is refused with 413")
      ->capture_default_str()
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
  kubeconfig->excludes(in_cluster)->excludes(cluster_file);
  in_cluster->excludes(cluster_file);
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

  const std::map<std::string, ScoreScale> scales = {
      {"exact", ScoreScale::kExact}, {"extender", ScoreScale::kExtender}};
  serve
      ->add_option_function<std::string>(
          "--score-scale",
          [&options, scales](const std::string& name) {
            options.score_scale = scales.at(name);
          },
          "exact: 0-400, reproduces the in-tree sums with all other score "
          "weights x10 [default]; extender: 0-10")
      ->check(CLI::IsMember(scales))
      ->group("Scheduling");
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

void AddExplain(CLI::App& app, Action& action) {
  CLI::App* explain =
      app.add_subcommand("explain", "Explain where pods can go, and why.");
  const std::string description =
      "answer one case per line of the standard input; the format is in "
      "test/conformance/README.md";
  explain->add_flag("--batch", description)->required();
  explain->callback(
      [&action] { action = [] { return ExplainBatch(std::cin, std::cout); }; });
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
  AddExplain(app, action);
  AddSample(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : kExitUsage;
  }
  const absl::Status status = action();
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << "vicinal: " << std::string(status.message()) << "\n";
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace vicinal

int main(int argc, char** argv) { return vicinal::Main(argc, argv); }
