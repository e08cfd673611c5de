#include "server/commands/serve_plugin/serve_plugin.h"

#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "server/decisions/decision_ring.h"
#include "server/listeners/admin/admin_endpoints.h"
#include "server/listeners/http/http_server.h"
#include "server/listeners/scheduler_plugin/scheduler_plugin_service.h"
#include "server/listeners/scheduler_plugin/unix_server.h"
#include "server/listeners/tls/server_tls.h"
#include "server/live_page/live_page.h"
#include "server/metrics/plugin_metrics.h"
#include "server/scheduler_config/config_file.h"
#include "server/scheduler_config/scheduler_config.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/freshness.h"

namespace vicinal {
namespace {

constexpr char kDefaultConfig[] =
    "{apiVersion: kubescheduler.config.k8s.io/v1, "
    "kind: KubeSchedulerConfiguration}";

// SIGTERM and SIGINT, blocked in all threads from now on.
sigset_t BlockTerminationSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

absl::StatusOr<std::unique_ptr<HttpServer>> StartAdmin(
    const std::string& address, const ServerTls* tls,
    AdminEndpoints endpoints) {
  HttpServer::Options options;
  options.address = address;
  options.max_body_bytes = 1 << 10;
  options.tls = tls;
  options.require_client_certificate = false;
  return HttpServer::Start(
      options, [endpoints = std::move(endpoints)](const HttpRequest& request) {
        return HandleAdmin(endpoints, request);
      });
}

}  // namespace

absl::Status ServePlugin(const ServePluginOptions& options) {
  absl::Status safe = CheckTlsFlags(options.security);
  if (safe.ok()) {
    safe = CheckListenAddress("--admin-listen-address",
                              options.admin_listen_address, options.security);
  }
  if (safe.ok() && options.decisions_kept == 0 &&
      !options.decision_log.path.empty()) {
    safe = absl::InvalidArgumentError(
        "--decision-log needs --decisions-kept of 1 or more");
  }
  if (!safe.ok()) return safe;
  // Before any thread starts. With gRPC's default another thread polls, and
  // then wakes the one that waits for the stream: that takes longer than most
  // answers do.
  setenv("GRPC_POLL_STRATEGY", "poll", /*overwrite=*/0);
  const sigset_t signals = BlockTerminationSignals();
  const absl::StatusOr<std::unique_ptr<ServerTls>> tls =
      LoadTls(options.security);
  if (!tls.ok()) return tls.status();
  const absl::StatusOr<SchedulerRelease> release =
      ReleaseFor(options.release, nullptr);
  if (!release.ok()) return release.status();
  const absl::StatusOr<SchedulerConfig> config =
      options.scheduler_config.empty()
          ? ReadSchedulerConfig(kDefaultConfig, release->release)
          : ReadConfigFile(options.scheduler_config, release->release);
  if (!config.ok()) return config.status();
  // What it cannot weigh, it does not explain with.
  const absl::StatusOr<SchedulerProfiles> profiles =
      SchedulerProfiles::FromConfig(*config, /*advise_only=*/true);
  if (!profiles.ok()) return profiles.status();
  PluginMetrics metrics;
  DecisionRing decisions(std::max<std::size_t>(options.decisions_kept, 1));
  const bool records = options.decisions_kept > 0;
  const std::unique_ptr<DecisionWriter> writer =
      records && !options.decision_log.path.empty()
          ? std::make_unique<DecisionWriter>(decisions, options.decision_log)
          : nullptr;
  Freshness freshness({SchedulerPluginService::kResource},
                      std::chrono::seconds(0));
  SchedulerPluginService service(*config, metrics,
                                 records ? &decisions : nullptr, &freshness);
  LivePage page(
      {[&service] { return service.cluster().generation(); },
       [&service] { return service.cluster().Copy(); }},
      freshness,
      [&profiles](const std::string& name) { return profiles->Find(name); },
      decisions,
      {.rules_interval = options.rule_metrics_interval,
       .copies_at_lowest_priority = false});
  UnixServer::Options server_options;
  server_options.path = options.socket;
  server_options.max_message_bytes = options.max_message_bytes;
  const absl::StatusOr<std::unique_ptr<UnixServer>> server =
      UnixServer::Start(server_options, service);
  if (!server.ok()) return server.status();
  std::atomic<bool> stopping = false;
  AdminEndpoints endpoints;
  endpoints.ready = [&stopping] {
    return stopping ? absl::UnavailableError("stopping") : absl::OkStatus();
  };
  endpoints.protect_metrics = !options.security.tls.client_ca_file.empty();
  endpoints.metrics = [&metrics, &writer, &page] {
    return metrics.Render() +
           (writer == nullptr ? "" : writer->RenderMetrics()) +
           *page.RuleMetrics();
  };
  endpoints.decisions = [&decisions] { return decisions.ToJsonLines(); };
  if (options.security.tls.client_ca_file.empty() &&
      !options.allow_anonymous_clients) {
    endpoints.may_read_decisions = [](std::string_view) {
      return absl::PermissionDeniedError(
          "this names pods: it takes --client-ca-file, or "
          "--allow-anonymous-clients");
    };
  }
  endpoints.page = [&page](const HttpRequest& request) {
    return page.Handle(request);
  };
  const absl::StatusOr<std::unique_ptr<HttpServer>> admin = StartAdmin(
      options.admin_listen_address, tls->get(), std::move(endpoints));
  if (!admin.ok()) return admin.status();
  std::cout << "listening plugin=" << options.socket
            << " admin=" << (*admin)->address() << std::endl;

  int signal = 0;
  sigwait(&signals, &signal);
  LOG(INFO) << "stopping on signal " << signal;
  stopping = true;
  // The scheduler's plugin goes on without answers: nothing to wait for.
  (*server)->Stop(std::chrono::system_clock::now());
  LOG(INFO) << "stopped";
  return absl::OkStatus();
}

}  // namespace vicinal
