// The command line of vicinal.
#include <glog/logging.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "core/model/kubernetes_release.h"
#include "core/model/yaml.h"
#include "server/commands/certificates/command.h"
#include "server/commands/command_line/completion.h"
#include "server/commands/command_line/mistake.h"
#include "server/commands/deschedule/command.h"
#include "server/commands/explain/command.h"
#include "server/commands/replay/command.h"
#include "server/commands/sample/sample_cluster.h"
#include "server/commands/serve/command.h"
#include "server/commands/serve_plugin/command.h"
#include "server/commands/simulate/command.h"
#include "server/log/json_log.h"
#include "server/log/unblock_log.h"
#include "server/versions.h"

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

// Of words that are not known CLI11 says that others are missing.
bool IsAboutWords(const CLI::ParseError& error) {
  return error.get_exit_code() ==
             static_cast<int>(CLI::ExitCodes::ExtrasError) ||
         error.get_exit_code() ==
             static_cast<int>(CLI::ExitCodes::RequiredError);
}

std::string VersionText() {
  std::string text = std::string("vicinal ") + kVersion + ", Kubernetes";
  for (const KubernetesRelease& release : KubernetesReleases()) {
    text += " " + std::string(release.name);
  }
  return text;
}

int Main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  FLAGS_logtostderr = true;
  google::InitGoogleLogging(argv[0]);

  CLI::App app("vicinal: the neighbourhood index for kube-scheduler");
  app.require_subcommand(1);
  app.add_option("-v,--verbosity", FLAGS_v, "log verbosity (glog)")
      ->capture_default_str();
  std::string log_format = "text";
  app.add_option("--log-format", log_format,
                 "of the log: text, or json, an object in each line, with ts "
                 "(milliseconds since 1970), severity, caller and msg")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
  app.set_version_flag("--version", VersionText());
  Action action;
  int exit_code = EXIT_SUCCESS;  // Of an answer that is no error.
  AddServe(app, action);
  AddServePlugin(app, action);
  AddExplain(app, action, exit_code);
  AddReplay(app, action, exit_code);
  AddSample(app, action);
  AddSimulate(app, action, exit_code);
  AddDeschedule(app, action, exit_code);
  AddCertificates(app, action);
  AddCompletion(app, action);
  const std::vector<std::string> arguments(argv, argv + argc);
  if (CompleteIfAsked(app, arguments, std::cout)) return EXIT_SUCCESS;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string mistake =
        IsAboutWords(error)
            ? DescribeMistake(app, {arguments.begin() + 1, arguments.end()})
            : "";
    if (!mistake.empty()) {
      std::cerr << "vicinal: " << mistake
                << "\nRun with --help for more information.\n";
      return kExitUsage;
    }
    return app.exit(error) == 0 ? EXIT_SUCCESS : kExitUsage;
  }
  std::optional<JsonLog> json_log;
  if (log_format == "json") json_log.emplace();
  // What runs for long says first what it is and what it was told.
  if (app.got_subcommand("serve") || app.got_subcommand("serve-plugin")) {
    const absl::Status unblocked = UnblockLog();
    LOG_IF(WARNING, !unblocked.ok()) << unblocked.message();
    LOG(INFO) << VersionText() << ": " << absl::StrJoin(arguments, " ");
  }
  const absl::Status status = action();
  if (status.ok()) return exit_code;
  std::cerr << "vicinal: " << std::string(status.message()) << "\n";
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace vicinal

int main(int argc, char** argv) { return vicinal::Main(argc, argv); }
