#include "server/commands/deschedule/live.h"

#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/deschedule/policy.h"
#include "core/engine/default_profile.h"
#include "core/plugins/plugin_config.h"
#include "server/commands/deschedule/deschedule_cluster.h"
#include "server/commands/deschedule/deschedule_metrics.h"
#include "server/commands/deschedule/evictor.h"
#include "server/commands/deschedule/lease.h"
#include "server/commands/deschedule/pass.h"
#include "server/commands/deschedule/print_plan.h"
#include "server/commands/deschedule/stop.h"
#include "server/commands/deschedule/watched_cluster.h"
#include "server/commands/release/scheduler_release.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/listeners/http/http_server.h"
#include "server/listeners/tls/server_tls.h"
#include "server/state/cluster_snapshot.h"

namespace vicinal {
namespace {

// So long the watches may take to tell what is to be known.
constexpr std::chrono::seconds kReadPatience{30};

// Sets a Stop on SIGTERM and SIGINT, which this thread and those that it starts
// afterwards do not get themselves.
class StopOnSignal {
 public:
  explicit StopOnSignal(Stop& stop) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::thread([this, &stop, signals] {
      const timespec pause = {0, 100'000'000};
      while (!ended_) {
        const int signal = sigtimedwait(&signals, nullptr, &pause);
        if (signal < 0) continue;
        LOG(INFO) << "stopping on signal " << signal;
        stop.Set();
      }
    });
  }
  ~StopOnSignal() {
    ended_ = true;
    thread_.join();
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

ApiClientOptions ClientOptions() {
  ApiClientOptions options;
  options.user_agent = "vicinal-deschedule";
  options.connect_timeout = std::chrono::seconds(5);
  options.handshake_timeout = std::chrono::seconds(5);
  options.response_timeout = std::chrono::seconds(30);
  options.read_timeout = std::chrono::seconds(10);
  options.max_body_bytes = 16 << 20;
  return options;
}

// Of this process; the host's name is the pod's.
std::string Identity() {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  std::random_device random;
  return absl::StrCat(host.data(), "_", getpid(), "_",
                      absl::Hex(random(), absl::kZeroPad8));
}

// With a client CA only its clients get the metrics; the kubelet, which asks
// for the health, has no certificate.
HttpResponse Admin(const DescheduleMetrics& metrics, bool protect_metrics,
                   const HttpRequest& request) {
  if (request.method != "GET") {
    HttpResponse response = ErrorResponse(405, "only GET is allowed");
    response.allow = "GET";
    return response;
  }
  if (request.path == "/healthz") return {200, "text/plain", "ok"};
  if (request.path == "/metrics") {
    if (protect_metrics && !request.has_client_certificate) {
      return ErrorResponse(401, "a client certificate is required");
    }
    return {200, "text/plain; version=0.0.4; charset=utf-8", metrics.Render()};
  }
  return ErrorResponse(404, "there are /healthz and /metrics");
}

// Null without an address.
absl::StatusOr<std::unique_ptr<HttpServer>> StartAdmin(
    const LiveOptions& live, const ServerTls* tls,
    const DescheduleMetrics& metrics) {
  if (live.admin_listen_address.empty()) return nullptr;
  HttpServer::Options options;
  options.address = live.admin_listen_address;
  options.max_body_bytes = 1 << 10;
  options.tls = tls;
  options.require_client_certificate = false;
  const bool protect_metrics = !live.security.tls.client_ca_file.empty();
  return HttpServer::Start(
      options, [&metrics, protect_metrics](const HttpRequest& request) {
        return Admin(metrics, protect_metrics, request);
      });
}

absl::Status Print(const DescheduleOptions& options, const LiveOptions& live,
                   const Policy& policy, const PassResult& result,
                   std::ostream& out) {
  Plan done = result.plan;
  if (live.evict) {
    done.evictions = result.evicted;
    done.kept.insert(done.kept.end(), result.not_evicted.begin(),
                     result.not_evicted.end());
  }
  if (options.output == "json") {
    PrintJson(policy, done, out);
  } else {
    PrintTable(policy, done, out);
  }
  out.flush();
  if (!out) return absl::DataLossError("the result cannot be written");
  return absl::OkStatus();
}

}  // namespace

absl::Status Validate(const LiveOptions& live) {
  absl::Status status = CheckTlsFlags(live.security);
  if (status.ok() && !live.admin_listen_address.empty()) {
    status = CheckListenAddress("--admin-listen-address",
                                live.admin_listen_address, live.security);
  }
  return status;
}

absl::Status RunLive(const DescheduleOptions& options, const LiveOptions& live,
                     std::ostream& out, bool* all_evicted) {
  if (absl::Status status = Validate(live); !status.ok()) return status;
  const absl::StatusOr<Policy> policy = PolicyOf(options);
  if (!policy.ok()) return policy.status();
  const absl::StatusOr<ClientConfig> config = ClientConfigOf(options);
  if (!config.ok()) return config.status();
  Stop stop;
  const StopOnSignal stop_on_signal(stop);
  const absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
      BlockingApiClient::Create(*config, ClientOptions());
  if (!client.ok()) return client.status();
  const absl::StatusOr<SchedulerRelease> release =
      ReleaseFor(options.release, &*config);
  if (!release.ok()) return release.status();
  if (!release->mismatch.empty()) LOG(WARNING) << release->mismatch;
  DescheduleMetrics metrics;
  const absl::StatusOr<std::unique_ptr<ServerTls>> tls = LoadTls(live.security);
  if (!tls.ok()) return tls.status();
  const absl::StatusOr<std::unique_ptr<HttpServer>> admin =
      StartAdmin(live, tls->get(), metrics);
  if (!admin.ok()) return admin.status();
  if (*admin != nullptr) {
    LOG(INFO) << "listening admin=" << (*admin)->address();
  }
  std::unique_ptr<LeaderElection> election;
  if (live.leader_elect) {
    LeaseOptions lease;
    lease.namespace_name = live.lease_namespace;
    lease.name = live.lease_name;
    lease.identity = Identity();
    election = std::make_unique<LeaderElection>(**client, std::move(lease));
  }
  const auto may_evict = [&election] {
    return election == nullptr || election->IsLeader();
  };
  PluginConfig plugin_config;
  plugin_config.release = release->release;
  const Profile profile = DefaultProfile(plugin_config);
  PassOptions pass_options;
  pass_options.release = release->release;
  pass_options.policy = *policy;
  pass_options.eviction_interval = live.eviction_interval;
  // What is read once is only listed.
  const bool reads_often = live.evict || live.interval;
  std::unique_ptr<WatchedCluster> watched;
  const auto read_running = [&](const std::vector<PlannedEviction>& evicted,
                                DescheduleCluster& cluster) {
    if (!reads_often) return ReadClusterFromApi(*config, cluster.Loader());
    if (watched == nullptr) {
      auto started = WatchedCluster::Start(*config, release->release);
      if (!started.ok()) return started.status();
      watched = *std::move(started);
    }
    return watched->Read(evicted, kReadPatience, stop, cluster.Loader());
  };
  // The finished pods are listed once a pass, for policies that look at them.
  const bool looks_at_finished = LooksAtFinishedPods(*policy);
  std::optional<DescheduleCluster> finished;
  const auto read = [&](const std::vector<PlannedEviction>& evicted,
                        DescheduleCluster& cluster) {
    absl::Status status = read_running(evicted, cluster);
    if (!status.ok() || !looks_at_finished) return status;
    if (!finished) {
      status = ReadFinishedPodsFromApi(*config, finished.emplace().Loader());
      if (!status.ok()) {
        finished.reset();
        return status;
      }
    }
    cluster.finished = finished->finished;
    cluster.facts.insert(finished->facts.begin(), finished->facts.end());
    return status;
  };
  Evictor evictor(**client, *config, ClientOptions(),
                  pass_options.policy.grace_period_seconds);
  DescheduleLoop passes(profile, std::move(pass_options), read, evictor,
                        metrics, stop, may_evict);

  *all_evicted = true;
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    metrics.SetLeader(may_evict());
    if (may_evict()) {
      PassResult result;
      finished.reset();
      const absl::Status status =
          live.evict ? passes.Run(result) : passes.DryRun(result);
      metrics.CountPass(status.ok());
      *all_evicted &= result.not_evicted.empty();
      if (!status.ok() && !live.interval) return status;
      LOG_IF(ERROR, !status.ok())
          << "pass failed: " << std::string(status.message());
      if (status.ok() || !result.evicted.empty()) {
        absl::Status printed = Print(options, live, *policy, result, out);
        if (!printed.ok()) return printed;
      }
      if (!live.interval) return absl::OkStatus();
      const auto rest =
          *live.interval - (std::chrono::steady_clock::now() - begin);
      if (stop.WaitFor(rest)) return absl::OkStatus();
    } else if (stop.WaitFor(std::chrono::milliseconds(200))) {
      return absl::OkStatus();
    }
  }
}

}  // namespace vicinal
