#include "server/commands/serve_plugin/command.h"

#include <memory>

#include "server/commands/flags/decision_flags.h"
#include "server/commands/flags/flags.h"
#include "server/commands/release/release_flags.h"
#include "server/commands/serve_plugin/serve_plugin.h"

namespace vicinal {

void AddServePlugin(CLI::App& app, std::function<absl::Status()>& action) {
  const auto options = std::make_shared<ServePluginOptions>();
  CLI::App* serve = app.add_subcommand(
      "serve-plugin",
      "Answer the plugin of a kube-scheduler, which tells of the cluster.");
  serve
      ->add_option("--socket", options->socket,
                   "path of the Unix socket, which only this user may open; "
                   "one that is left over is removed")
      ->required();
  serve
      ->add_option("--admin-listen-address", options->admin_listen_address,
                   "<IP>:<port> of /healthz, /readyz, /metrics, /decisions and "
                   "/page")
      ->capture_default_str();
  AddListenerSecurity(serve, options->security);
  serve
      ->add_flag("--allow-anonymous-clients", options->allow_anonymous_clients,
                 "without --client-ca-file: let every process that reaches the "
                 "admin listener read /decisions and /page")
      ->group("TLS");
  serve->add_option(
      "--scheduler-config", options->scheduler_config,
      "the KubeSchedulerConfiguration (v1) that kube-scheduler runs with; a "
      "scheduler with other profiles, score plugins or weights is refused. "
      "Default: the default profile");
  AddReleaseFlags(serve, "Options", options->release);
  serve
      ->add_option("--max-message-bytes", options->max_message_bytes,
                   "largest message of the plugin; a larger one ends its "
                   "stream")
      ->capture_default_str();
  AddDecisionFlags(serve, "the plugin's questions", 0, options->decisions_kept,
                   options->decision_log);
  AddRuleMetricsFlag(serve, options->rule_metrics_interval);
  serve->callback([options, &action] {
    action = [options] { return ServePlugin(*options); };
  });
}

}  // namespace vicinal
