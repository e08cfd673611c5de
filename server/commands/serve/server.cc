#include "server/commands/serve/server.h"

#include <glog/logging.h>

#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/model/read_objects.h"
#include "server/commands/sample/sample_cluster.h"
#include "server/kubernetes/pod_binding.h"
#include "server/kubernetes/pod_reader.h"
#include "server/kubernetes/pod_retry.h"
#include "server/kubernetes/read_file.h"
#include "server/listeners/grpc/feed_events.h"
#include "server/scheduler_config/profiles_file.h"
#include "server/state/cluster_file.h"

namespace vicinal {
namespace {

std::vector<std::string> ResourcesOf(const ServeOptions& options) {
  if (options.HasApiServer()) return ClusterWatch::Resources();
  if (options.grpc_state) return {FeedEvents::kResource};
  return {};
}

InFlightPods::Options InFlightOptionsOf(const ServeOptions& options) {
  InFlightPods::Options in_flight = options.in_flight;
  in_flight.enabled &= options.HasApiServer();
  return in_flight;
}

std::unique_ptr<Rescuer> MakeRescuer(const ServeOptions& options,
                                     const SchedulerProfiles& profiles,
                                     ApiServer* api_server,
                                     const ClusterStore& store,
                                     Metrics& metrics) {
  if (api_server == nullptr || !options.rescue) return nullptr;
  RescuerOptions rescuer_options;
  rescuer_options.retry_after_backoff = options.rescue_retry_after_backoff;
  return std::make_unique<Rescuer>(
      store, metrics,
      [&profiles](const Pod& pod) -> const Profile* {
        const SchedulerProfile* profile =
            profiles.Find(pod.spec.scheduler_name);
        return profile == nullptr ? nullptr : &profile->all;
      },
      [api_server](const Pod& pod, const std::string& node) {
        return api_server->status_writer.SetNominatedNodeName(pod.meta, node);
      },
      rescuer_options);
}

std::unique_ptr<PodRetries> MakePodRetries(const SchedulerProfiles& profiles,
                                           ApiServer* api_server,
                                           const ClusterStore& store,
                                           Metrics& metrics) {
  if (api_server == nullptr) return nullptr;
  return std::make_unique<PodRetries>(
      store, metrics,
      [&profiles](const Pod& pod) -> const Profile* {
        const SchedulerProfile* profile =
            profiles.Find(pod.spec.scheduler_name);
        return profile == nullptr ? nullptr : &profile->all;
      },
      [api_server](const ObjectMeta& pod) {
        TryAgain(pod, *api_server->pool);
      });
}

std::unique_ptr<SecondLooks> MakeSecondLooks(const PodRetries* pod_retries,
                                             const ClusterStore& store) {
  if (pod_retries == nullptr) return nullptr;
  return std::make_unique<SecondLooks>(
      store,
      [pod_retries](const PodInfo& pod) { return pod_retries->Fit(pod); },
      [pod_retries](const PodInfo& pod) { pod_retries->TryAgain(pod); },
      SecondLooks::Options());
}

InFlightPods::OnPlacementEnded TellOf(const PodRetries* pod_retries) {
  if (pod_retries == nullptr) return nullptr;
  return [pod_retries](const InFlightLedger::AssumedPod& ended,
                       const auto& refused) {
    pod_retries->OnPlacementEnded(ended, refused);
  };
}

BindingWriter WriteBy(ApiServer* api_server, LeadCheck& lead_check) {
  if (api_server == nullptr) return nullptr;
  return [api_server, &lead_check](const PodBinding& binding, BindCaller caller,
                                   std::function<void(BindResult)> done) {
    api_server->binder.Bind(
        binding, std::move(caller),
        [&lead_check, done = std::move(done)](BindResult result) {
          lead_check.OnBinding(
              result.outcome == BindResult::Outcome::kForbidden,
              LeadCheck::Clock::now());
          done(std::move(result));
        });
  };
}

PodAsker AskBy(ApiServer* api_server) {
  if (api_server == nullptr) return nullptr;
  return [api_server](const ObjectKey& key,
                      std::function<void(absl::StatusOr<Pod>)> done) {
    ReadPod(*api_server->pool, key.namespace_name, key.name, std::move(done));
  };
}

ExtenderService::QueuedFor QueuedFor(const ApiServer* api_server) {
  if (api_server == nullptr) return nullptr;
  return [api_server] { return api_server->pool->OldestWait(); };
}

std::unique_ptr<DecisionWriter> MakeDecisionWriter(const ServeOptions& options,
                                                   const DecisionRing& ring) {
  if (options.decision_log.path.empty()) return nullptr;
  return std::make_unique<DecisionWriter>(ring, options.decision_log);
}

// The objects of the file, or of the embedded sample.
absl::StatusOr<std::vector<Object>> ObjectsOf(const ServeOptions& options) {
  if (!options.cluster_file.empty()) {
    return ReadClusterFile(options.cluster_file);
  }
  return ReadObjects(SampleClusterYaml());
}

// Of the admin listener.
ListenerSecurity AdminSecurityOf(const ServeOptions& options) {
  ListenerSecurity security = options.security;
  if (!options.metrics_client_ca_file.empty()) {
    security.tls.client_ca_file = options.metrics_client_ca_file;
  }
  return security;
}

absl::StatusOr<GrpcRoles> GrpcRolesOf(const ServeOptions& options) {
  const std::string& path = options.grpc_roles_file;
  if (path.empty()) {
    return options.security.tls.client_ca_file.empty() ? GrpcRoles::Everything()
                                                       : GrpcRoles::OnlyAsk();
  }
  const absl::StatusOr<std::string> text = ReadSmallFile(path);
  absl::StatusOr<GrpcRoles> roles =
      text.ok() ? GrpcRoles::Read(*text) : text.status();
  if (roles.ok()) return roles;
  return absl::InvalidArgumentError("--grpc-roles-file " + path + ": " +
                                    std::string(roles.status().message()));
}

// Decisions tell less than a snapshot, and no more than answers do. So they are
// for the role of a snapshot, and without roles for those who may ask; null.
AdminService::MayReadDecisions MayReadDecisionsBy(const ServeOptions& options,
                                                  const GrpcRoles& roles) {
  if (options.grpc_roles_file.empty() &&
      options.metrics_client_ca_file.empty()) {
    return nullptr;
  }
  return [&roles](std::string_view client) {
    return roles.Check(std::string(client), GrpcRole::kRead);
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServeOptions& options, const SchedulerRelease& release) {
  absl::Status status = Validate(options);
  if (!status.ok()) return status;
  if (options.security.tls.min_version == TlsVersion::k13) {
    RestrictGrpcToTls13();
  }
  absl::StatusOr<std::unique_ptr<ServerTls>> tls = LoadTls(options.security);
  if (!tls.ok()) return tls.status();
  absl::StatusOr<std::unique_ptr<ServerTls>> admin_tls =
      LoadTls(AdminSecurityOf(options));
  if (!admin_tls.ok()) return admin_tls.status();
  const bool advises = options.extender.mode == ExtenderMode::kAdvise;
  absl::StatusOr<SchedulerProfiles> profiles =
      ReadProfilesFile(options.scheduler_config, advises, release.release);
  if (!profiles.ok()) return profiles.status();
  if (!advises) LOG(INFO) << "deciding by\n" << profiles->Describe();
  absl::StatusOr<GrpcRoles> grpc_roles = GrpcRolesOf(options);
  if (!grpc_roles.ok()) return grpc_roles.status();
  if (!options.security.tls.client_ca_file.empty()) {
    grpc_roles->CheckCertificatesWith(**tls);
  }
  absl::StatusOr<std::unique_ptr<ApiServer>> api_server = ApiServerOf(options);
  if (!api_server.ok()) return api_server.status();

  std::unique_ptr<Server> server(new Server(
      options, release, *std::move(profiles), *std::move(tls),
      *std::move(admin_tls), *std::move(grpc_roles), *std::move(api_server)));
  status = server->FillStore();
  if (status.ok()) status = server->ListenForScheduler();
  if (status.ok()) status = server->ListenForAdmin();
  if (status.ok()) status = server->ListenForGrpc();
  if (!status.ok()) return status;
  return server;
}

Server::Server(const ServeOptions& options, const SchedulerRelease& release,
               SchedulerProfiles profiles, std::unique_ptr<ServerTls> tls,
               std::unique_ptr<ServerTls> admin_tls, GrpcRoles grpc_roles,
               std::unique_ptr<ApiServer> api_server)
    : options_(options),
      profiles_(std::move(profiles)),
      tls_(std::move(tls)),
      admin_tls_(std::move(admin_tls)),
      grpc_roles_(std::move(grpc_roles)),
      api_server_(std::move(api_server)),
      store_(release.release),
      freshness_(ResourcesOf(options_), options_.max_watch_outage),
      lead_check_(freshness_, options_.lead),
      pod_retries_(
          MakePodRetries(profiles_, api_server_.get(), store_, metrics_)),
      in_flight_(store_, metrics_, InFlightOptionsOf(options_),
                 TellOf(pod_retries_.get())),
      rescuer_(MakeRescuer(options_, profiles_, api_server_.get(), store_,
                           metrics_)),
      second_looks_(MakeSecondLooks(pod_retries_.get(), store_)),
      decisions_(options_.decisions_kept),
      decision_writer_(MakeDecisionWriter(options_, decisions_)),
      extender_(store_, in_flight_, freshness_, metrics_, profiles_,
                options_.extender, QueuedFor(api_server_.get()), rescuer_.get(),
                second_looks_.get(), &decisions_),
      binder_(store_, in_flight_, freshness_, metrics_, profiles_,
              WriteBy(api_server_.get(), lead_check_), options_.bind_timeout,
              AskBy(api_server_.get())),
      explainer_(store_, freshness_, profiles_),
      live_page_(
          store_, freshness_,
          [this](const std::string& name) { return profiles_.Find(name); },
          decisions_, {.rules_interval = options_.rule_metrics_interval}),
      admin_(store_, freshness_, lead_check_, metrics_,
             !AdminSecurityOf(options_).tls.client_ca_file.empty(), &decisions_,
             decision_writer_.get(), MayReadDecisionsBy(options_, grpc_roles_),
             &live_page_),
      grpc_extender_(extender_, binder_, explainer_, store_, metrics_,
                     grpc_roles_),
      grpc_cluster_state_(store_, options_.grpc_state ? &freshness_ : nullptr,
                          grpc_roles_) {
  metrics_.SetKubernetesRelease(std::string(release.release.name),
                                release.api_server);
}

Server::~Server() {
  // Its thread tells members below it how bindings end.
  if (api_server_ != nullptr) api_server_->pool->Stop();
}

absl::Status Server::FillStore() {
  if (api_server_ != nullptr) {
    absl::StatusOr<std::unique_ptr<ClusterWatch>> watch =
        ClusterWatch::Start(api_server_->config, options_.kube_api_encoding,
                            store_, in_flight_, freshness_, metrics_);
    if (!watch.ok()) return watch.status();
    watch_ = *std::move(watch);
    return absl::OkStatus();
  }
  if (options_.grpc_state) {
    LOG(INFO) << "waiting for the state of the cluster over gRPC";
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<Object>> objects = ObjectsOf(options_);
  if (!objects.ok()) return objects.status();
  store_.Write([&objects](ClusterState& cluster) {
    for (Object& object : *objects) cluster.Upsert(std::move(object));
  });
  return absl::OkStatus();
}

absl::Status Server::ListenForScheduler() {
  HttpServer::Options options;
  options.address = options_.listen_address;
  options.threads = options_.threads;
  options.async_handler = [this](const HttpRequest& request,
                                 const HttpCaller& caller,
                                 const HttpAnswer& answer) {
    return binder_.Handle(request, caller, answer);
  };
  options.max_body_bytes = options_.max_body_bytes;
  options.on_refusal = [this](const char* limit) {
    metrics_.CountListenerRefusal("extender", limit);
  };
  options.tls = tls_.get();
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
      options,
      [this](const HttpRequest& request) { return extender_.Handle(request); });
  if (!server.ok()) return server.status();
  extender_server_ = *std::move(server);
  return absl::OkStatus();
}

absl::Status Server::ListenForAdmin() {
  HttpServer::Options options;
  options.address = options_.admin_listen_address;
  options.max_body_bytes = 1 << 10;
  options.max_connections = 100;
  options.on_refusal = [this](const char* limit) {
    metrics_.CountListenerRefusal("admin", limit);
  };
  options.tls = admin_tls_.get();
  options.require_client_certificate = false;
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
      options,
      [this](const HttpRequest& request) { return admin_.Handle(request); });
  if (!server.ok()) return server.status();
  admin_server_ = *std::move(server);
  return absl::OkStatus();
}

absl::Status Server::ListenForGrpc() {
  if (!options_.HasGrpc()) return absl::OkStatus();
  GrpcServer::Options options;
  options.address = options_.grpc_listen_address;
  options.max_message_bytes = options_.max_body_bytes;
  if (tls_ != nullptr) options.tls = &options_.security.tls;
  absl::StatusOr<std::unique_ptr<GrpcServer>> server = GrpcServer::Start(
      options, freshness_,
      {{v1::Extender::service_full_name(), &grpc_extender_},
       {v1::ClusterState::service_full_name(), &grpc_cluster_state_}});
  if (!server.ok()) return server.status();
  grpc_server_ = *std::move(server);
  return absl::OkStatus();
}

std::string Server::Addresses() const {
  std::string addresses = "extender=" + extender_server_->address() +
                          " admin=" + admin_server_->address();
  if (grpc_server_ != nullptr) addresses += " grpc=" + grpc_server_->address();
  return addresses;
}

void Server::Stop() {
  admin_.StopReady();
  const auto deadline =
      std::chrono::system_clock::now() + options_.shutdown_timeout;
  std::thread stop_grpc([this, deadline] {
    if (grpc_server_ == nullptr) return;
    grpc_server_->StopServing();
    grpc_cluster_state_.CancelFeed();
    grpc_server_->Stop(deadline);
  });
  extender_server_->Drain(options_.shutdown_timeout);
  stop_grpc.join();
}

}  // namespace vicinal
