// The command line of vicinal.
#include <glog/logging.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/model/yaml.h"
#include "server/commands/certificates/command.h"
#include "server/commands/deschedule/command.h"
#include "server/commands/explain/command.h"
#include "server/commands/sample/sample_cluster.h"
#include "server/commands/serve/command.h"
#include "server/commands/serve_plugin/command.h"
#include "server/commands/simulate/command.h"

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

int Main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  FLAGS_logtostderr = true;
  google::InitGoogleLogging(argv[0]);

  CLI::App app("vicinal: the neighbourhood index for kube-scheduler");
  app.require_subcommand(1);
  app.add_option("-v,--verbosity", FLAGS_v, "log verbosity (glog)")
      ->capture_default_str();
  Action action;
  int exit_code = EXIT_SUCCESS;  // Of an answer that is no error.
  AddServe(app, action);
  AddServePlugin(app, action);
  AddExplain(app, action, exit_code);
  AddSample(app, action);
  AddSimulate(app, action, exit_code);
  AddDeschedule(app, action, exit_code);
  AddCertificates(app, action);
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
