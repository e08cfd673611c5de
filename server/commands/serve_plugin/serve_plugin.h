// `vicinal serve-plugin`: answers the plugin of a kube-scheduler.
#ifndef VICINAL_SERVER_COMMANDS_SERVE_PLUGIN_SERVE_PLUGIN_H_
#define VICINAL_SERVER_COMMANDS_SERVE_PLUGIN_SERVE_PLUGIN_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "server/commands/release/scheduler_release.h"
#include "server/decisions/decision_writer.h"
#include "server/listeners/tls/listener_security.h"

namespace vicinal {

struct ServePluginOptions {
  std::string socket;
  std::string admin_listen_address = "127.0.0.1:8891";
  ListenerSecurity security;  // Of the admin listener.
  // Clients without a certificate may read the decisions and the page, although
  // these name pods: every process that reaches the listener can.
  bool allow_anonymous_clients = false;
  ReleaseOptions release;  // Of the scheduler.
  // The scheduler's KubeSchedulerConfiguration; empty: the default profile.
  std::string scheduler_config;
  std::size_t max_message_bytes = 64 << 20;
  std::size_t decisions_kept = 4096;  // The last ones; 0: none are recorded.
  // Where all of them are written; without a path nowhere.
  DecisionWriter::Options decision_log;
  // See LivePage::Options::rules_interval.
  std::chrono::seconds rule_metrics_interval{60};
};

// Serves until the process gets SIGTERM or SIGINT. Once the listeners are bound
// it prints one line to stdout:
//   listening plugin=/run/vicinal/plugin.sock admin=127.0.0.1:8891
// Errors: options or files that cannot be used.
absl::Status ServePlugin(const ServePluginOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_PLUGIN_SERVE_PLUGIN_H_
