#include "server/serve.h"

#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/model/object_list.h"
#include "server/admin/admin_service.h"
#include "server/http/http_server.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/in_cluster_config.h"
#include "server/kubernetes/kubeconfig.h"
#include "server/kubernetes/pod_binder.h"
#include "server/kubernetes/pod_status_writer.h"
#include "server/kubernetes/read_file.h"
#include "server/metrics/metrics.h"
#include "server/rescue/rescuer.h"
#include "server/sample/sample_cluster.h"
#include "server/scheduler_config/scheduler_config.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_file.h"
#include "server/state/cluster_store.h"
#include "server/state/cluster_watch.h"
#include "server/state/freshness.h"

namespace vicinal {
namespace {

// SIGTERM and SIGINT, blocked in this thread and those that it starts, so that
// Wait gets them.
class TerminationSignals {
 public:
  TerminationSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  void Wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    LOG(INFO) << "stopping on signal " << signal;
  }

 private:
  sigset_t signals_;
};

void Load(std::vector<Object> objects, ClusterStore& store) {
  store.Write([&objects](ClusterState& cluster) {
    for (Object& object : objects) cluster.Upsert(std::move(object));
  });
}

bool HasApiServer(const ServeOptions& options) {
  return options.in_cluster || !options.kubeconfig.empty();
}

absl::StatusOr<ClientConfig> ApiServerOf(const ServeOptions& options) {
  return options.in_cluster ? InClusterConfig()
                            : LoadKubeconfig(options.kubeconfig);
}

absl::StatusOr<SchedulerProfiles> ProfilesOf(const ServeOptions& options) {
  const std::string& path = options.scheduler_config;
  if (path.empty()) return SchedulerProfiles();
  const auto prefixed = [&path](const absl::Status& status) {
    return absl::Status(status.code(),
                        path + ": " + std::string(status.message()));
  };
  const absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) return prefixed(text.status());
  const absl::StatusOr<SchedulerConfig> config = ReadSchedulerConfig(*text);
  if (!config.ok()) return prefixed(config.status());
  absl::StatusOr<SchedulerProfiles> profiles = SchedulerProfiles::FromConfig(
      *config, options.extender.mode == ExtenderMode::kAdvise);
  if (!profiles.ok()) return prefixed(profiles.status());
  return profiles;
}

// The scheduler gives a binding as long as its httpTimeout, 5 s by default.
ApiClientOptions BindOptions() {
  ApiClientOptions options;
  options.connect_timeout = std::chrono::seconds(2);
  options.handshake_timeout = std::chrono::seconds(2);
  options.response_timeout = std::chrono::seconds(10);
  options.read_timeout = std::chrono::seconds(5);
  options.max_body_bytes = 16 << 20;
  return options;
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  const TerminationSignals signals;
  ClusterStore store;
  Metrics metrics;
  Freshness freshness(HasApiServer(options) ? ClusterWatch::Resources()
                                            : std::vector<std::string>(),
                      options.max_watch_outage);
  absl::StatusOr<SchedulerProfiles> profiles = ProfilesOf(options);
  if (!profiles.ok()) return profiles.status();
  if (options.extender.mode == ExtenderMode::kDecide) {
    LOG(INFO) << "deciding by\n" << profiles->Describe();
  }
  InFlightPods::Options in_flight_options = options.in_flight;
  in_flight_options.enabled &= HasApiServer(options);
  InFlightPods in_flight(store, metrics, in_flight_options);
  std::unique_ptr<BlockingApiClient> api;
  std::unique_ptr<PodBinder> binder;
  std::unique_ptr<ClusterWatch> watch;
  const absl::StatusOr<SchedulerProfiles> rescue_profiles = ProfilesOf(options);
  if (!rescue_profiles.ok()) return rescue_profiles.status();
  std::unique_ptr<PodStatusWriter> status_writer;
  std::unique_ptr<Rescuer> rescuer;
  if (HasApiServer(options)) {
    const absl::StatusOr<ClientConfig> config = ApiServerOf(options);
    if (!config.ok()) return config.status();
    absl::StatusOr<std::unique_ptr<BlockingApiClient>> client =
        BlockingApiClient::Create(*config, BindOptions());
    if (!client.ok()) return client.status();
    api = *std::move(client);
    binder = std::make_unique<PodBinder>(*api);
    absl::StatusOr<std::unique_ptr<ClusterWatch>> started =
        ClusterWatch::Start(*config, store, in_flight, freshness, metrics);
    if (!started.ok()) return started.status();
    watch = *std::move(started);
    if (options.rescue) {
      status_writer = std::make_unique<PodStatusWriter>(*api);
      rescuer = std::make_unique<Rescuer>(
          store, metrics,
          [&rescue_profiles](const Pod& pod) -> const Profile* {
            const SchedulerProfile* profile =
                rescue_profiles->Find(pod.spec.scheduler_name);
            return profile == nullptr ? nullptr : &profile->all;
          },
          [&status_writer](const Pod& pod, const std::string& node) {
            return status_writer->SetNominatedNodeName(pod.meta, node);
          });
    }
  } else if (!options.cluster_file.empty()) {
    absl::StatusOr<std::vector<Object>> objects =
        ReadClusterFile(options.cluster_file);
    if (!objects.ok()) return objects.status();
    Load(*std::move(objects), store);
  } else {
    LOG(INFO) << "no --kubeconfig, --in-cluster or --cluster-file: serving the "
                 "embedded sample cluster";
    absl::StatusOr<std::vector<Object>> objects =
        ReadObjects(SampleClusterYaml());
    if (!objects.ok()) return objects.status();
    Load(*std::move(objects), store);
  }

  ExtenderService::BindFunction bind;
  if (binder != nullptr) {
    bind = [&binder](const PodBinding& binding) {
      return binder->Bind(binding);
    };
  }
  const ExtenderService extender(store, in_flight, freshness, metrics,
                                 *std::move(profiles), options.extender,
                                 std::move(bind), rescuer.get());
  const AdminService admin(store, freshness, metrics);
  HttpServer::Options extender_options;
  extender_options.address = options.listen_address;
  extender_options.threads = options.threads;
  extender_options.blocks = &ExtenderService::Blocks;
  extender_options.blocking_threads = options.bind_threads;
  extender_options.max_body_bytes = options.max_body_bytes;
  const absl::StatusOr<std::unique_ptr<HttpServer>> extender_server =
      HttpServer::Start(extender_options, [&extender](const HttpRequest& r) {
        return extender.Handle(r);
      });
  if (!extender_server.ok()) return extender_server.status();
  HttpServer::Options admin_options;
  admin_options.address = options.admin_listen_address;
  admin_options.max_body_bytes = 1 << 10;
  const absl::StatusOr<std::unique_ptr<HttpServer>> admin_server =
      HttpServer::Start(admin_options, [&admin](const HttpRequest& r) {
        return admin.Handle(r);
      });
  if (!admin_server.ok()) return admin_server.status();

  std::cout << "listening extender=" << (*extender_server)->address()
            << " admin=" << (*admin_server)->address() << std::endl;
  signals.Wait();
  return absl::OkStatus();
}

}  // namespace vicinal
