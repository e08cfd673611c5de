#include "server/commands/replay/command.h"

#include <iostream>
#include <memory>

#include "server/commands/replay/replay.h"

namespace vicinal {

void AddReplay(CLI::App& app, std::function<absl::Status()>& action,
               int& exit_code) {
  constexpr int kExitDifferent = 4;
  const auto options = std::make_shared<ReplayOptions>();
  const auto fails = std::make_shared<bool>(false);
  CLI::App* replay = app.add_subcommand(
      "replay",
      "Ask a vicinal, which may have another configuration, again about the "
      "pods of a --decision-log.");
  replay
      ->add_option("--decision-log", options->decision_log,
                   "a file of serve or serve-plugin --decision-log, - for the "
                   "standard input; of each pod the last choice counts")
      ->required();
  replay
      ->add_option("--server", options->server,
                   "<host>:<port> of the gRPC services of vicinal serve; the "
                   "pods must be in the cluster that it knows. It asks "
                   "Extender.Explain, for which the role ask is enough")
      ->required();
  replay->add_option("--certificate-authority", options->certificate_authority,
                     "PEM certificates that vouch for the server");
  CLI::Option* const certificate =
      replay->add_option("--client-certificate", options->client_certificate,
                         "PEM certificate of a client with the role ask");
  certificate->needs(
      replay->add_option("--client-key", options->client_key, "its key")
          ->needs(certificate));
  replay
      ->add_option("--limit", options->most,
                   "pods that are asked about, those that were decided about "
                   "last")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  replay->add_flag("--fail-on-difference", *fails,
                   "exit status 4 if a choice differs");
  replay->add_option("-o,--output", options->output, "text or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
  replay->callback([options, fails, &action, &exit_code] {
    action = [options, fails, &exit_code] {
      bool differs = false;
      absl::Status status = Replay(*options, std::cout, std::cerr, differs);
      if (status.ok() && differs && *fails) exit_code = kExitDifferent;
      return status;
    };
  });
}

}  // namespace vicinal
