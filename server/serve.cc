#include "server/serve.h"

#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/model/object_list.h"
#include "server/commands/explain/live_explainer.h"
#include "server/commands/sample/sample_cluster.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/in_cluster_config.h"
#include "server/kubernetes/kubeconfig.h"
#include "server/kubernetes/pod_binder.h"
#include "server/kubernetes/pod_status_writer.h"
#include "server/listeners/admin/admin_service.h"
#include "server/listeners/grpc/feed_events.h"
#include "server/listeners/grpc/grpc_cluster_state.h"
#include "server/listeners/grpc/grpc_extender.h"
#include "server/listeners/grpc/grpc_server.h"
#include "server/listeners/http/endpoint.h"
#include "server/listeners/http/http_server.h"
#include "server/listeners/tls/server_tls.h"
#include "server/metrics/metrics.h"
#include "server/scheduler_config/profiles_file.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_file.h"
#include "server/state/cluster_store.h"
#include "server/state/cluster_watch.h"
#include "server/state/freshness.h"
#include "server/state/rescue/rescuer.h"

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
  return ReadProfilesFile(options.scheduler_config,
                          options.extender.mode == ExtenderMode::kAdvise);
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

std::vector<std::string> ResourcesOf(const ServeOptions& options) {
  if (HasApiServer(options)) return ClusterWatch::Resources();
  if (options.grpc_state) return {FeedEvents::kResource};
  return {};
}

bool HasGrpc(const ServeOptions& options) {
  return options.grpc_listen_address != "none";
}

// Without TLS nobody else may reach a listener, unless that is wanted.
absl::Status CheckListener(const char* flag, const std::string& address,
                           const ServeOptions& options) {
  const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(address);
  if (!endpoint.ok()) {
    return absl::InvalidArgumentError(std::string(flag) + ": " +
                                      std::string(endpoint.status().message()));
  }
  if (endpoint->IsLoopback() || options.allow_insecure_listen ||
      !options.tls.cert_file.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      std::string(flag) + ": " + address +
      " can be reached from other machines, without TLS: set --tls-cert-file "
      "and --tls-private-key-file, or --allow-insecure-listen");
}

absl::Status CheckListeners(const ServeOptions& options) {
  absl::Status status =
      CheckListener("--listen-address", options.listen_address, options);
  if (status.ok()) {
    status = CheckListener("--admin-listen-address",
                           options.admin_listen_address, options);
  }
  if (status.ok() && HasGrpc(options)) {
    status = CheckListener("--grpc-listen-address", options.grpc_listen_address,
                           options);
  }
  return status;
}

// Null without a certificate.
absl::StatusOr<std::unique_ptr<ServerTls>> LoadTls(const TlsOptions& options) {
  if (options.cert_file.empty() != options.private_key_file.empty()) {
    return absl::InvalidArgumentError(
        "--tls-cert-file and --tls-private-key-file go together");
  }
  if (!options.cert_file.empty()) return ServerTls::Load(options);
  if (options.client_ca_file.empty()) return nullptr;
  return absl::InvalidArgumentError("--client-ca-file needs --tls-cert-file");
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  const TerminationSignals signals;
  if (options.tls.min_version == TlsVersion::k13) RestrictGrpcToTls13();
  if (absl::Status status = CheckListeners(options); !status.ok()) {
    return status;
  }
  const absl::StatusOr<std::unique_ptr<ServerTls>> tls = LoadTls(options.tls);
  if (!tls.ok()) return tls.status();
  ClusterStore store;
  Metrics metrics;
  if (options.grpc_state && !HasGrpc(options)) {
    return absl::InvalidArgumentError(
        "--grpc-state needs --grpc-listen-address");
  }
  Freshness freshness(ResourcesOf(options), options.max_watch_outage);
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
  // For rescue and explain; the extender has its own.
  const absl::StatusOr<SchedulerProfiles> other_profiles = ProfilesOf(options);
  if (!other_profiles.ok()) return other_profiles.status();
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
      RescuerOptions rescuer_options;
      rescuer_options.retry_after_backoff = options.rescue_retry_after_backoff;
      rescuer = std::make_unique<Rescuer>(
          store, metrics,
          [&other_profiles](const Pod& pod) -> const Profile* {
            const SchedulerProfile* profile =
                other_profiles->Find(pod.spec.scheduler_name);
            return profile == nullptr ? nullptr : &profile->all;
          },
          [&status_writer](const Pod& pod, const std::string& node) {
            return status_writer->SetNominatedNodeName(pod.meta, node);
          },
          rescuer_options);
    }
  } else if (!options.cluster_file.empty()) {
    absl::StatusOr<std::vector<Object>> objects =
        ReadClusterFile(options.cluster_file);
    if (!objects.ok()) return objects.status();
    Load(*std::move(objects), store);
  } else if (options.grpc_state) {
    LOG(INFO) << "waiting for the state of the cluster over gRPC";
  } else {
    LOG(INFO) << "no --kubeconfig, --in-cluster, --cluster-file or "
                 "--grpc-state: serving the embedded sample cluster";
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
  AdminService admin(store, freshness, metrics,
                     !options.tls.client_ca_file.empty());
  HttpServer::Options extender_options;
  extender_options.address = options.listen_address;
  extender_options.threads = options.threads;
  extender_options.blocks = &ExtenderService::Blocks;
  extender_options.blocking_threads = options.bind_threads;
  extender_options.max_body_bytes = options.max_body_bytes;
  extender_options.tls = tls->get();
  const absl::StatusOr<std::unique_ptr<HttpServer>> extender_server =
      HttpServer::Start(extender_options, [&extender](const HttpRequest& r) {
        return extender.Handle(r);
      });
  if (!extender_server.ok()) return extender_server.status();
  HttpServer::Options admin_options;
  admin_options.address = options.admin_listen_address;
  admin_options.max_body_bytes = 1 << 10;
  admin_options.tls = tls->get();
  admin_options.require_client_certificate = false;
  const absl::StatusOr<std::unique_ptr<HttpServer>> admin_server =
      HttpServer::Start(admin_options, [&admin](const HttpRequest& r) {
        return admin.Handle(r);
      });
  if (!admin_server.ok()) return admin_server.status();

  const LiveExplainer explainer(store, freshness, *other_profiles);
  GrpcExtender grpc_extender(extender, explainer, store, metrics);
  GrpcClusterState grpc_cluster_state(
      store, options.grpc_state ? &freshness : nullptr);
  std::unique_ptr<GrpcServer> grpc_server;
  if (HasGrpc(options)) {
    GrpcServer::Options grpc_options;
    grpc_options.address = options.grpc_listen_address;
    grpc_options.max_message_bytes = options.max_body_bytes;
    if (*tls != nullptr) grpc_options.tls = &options.tls;
    absl::StatusOr<std::unique_ptr<GrpcServer>> started = GrpcServer::Start(
        grpc_options, freshness,
        {{v1::Extender::service_full_name(), &grpc_extender},
         {v1::ClusterState::service_full_name(), &grpc_cluster_state}});
    if (!started.ok()) return started.status();
    grpc_server = *std::move(started);
  }

  std::cout << "listening extender=" << (*extender_server)->address()
            << " admin=" << (*admin_server)->address();
  if (grpc_server != nullptr) std::cout << " grpc=" << grpc_server->address();
  std::cout << std::endl;
  signals.Wait();

  admin.StopReady();
  const auto deadline =
      std::chrono::system_clock::now() + options.shutdown_timeout;
  std::thread stop_grpc([&] {
    if (grpc_server == nullptr) return;
    grpc_server->StopServing();
    grpc_cluster_state.CancelFeed();
    grpc_server->Stop(deadline);
  });
  (*extender_server)->Drain(options.shutdown_timeout);
  stop_grpc.join();
  LOG(INFO) << "stopped";
  return absl::OkStatus();
}

}  // namespace vicinal
