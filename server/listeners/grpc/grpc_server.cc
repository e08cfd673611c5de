#include "server/listeners/grpc/grpc_server.h"

#include <glog/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/sync/mutex.h"
#include "server/listeners/http/endpoint.h"

namespace vicinal {
namespace {

// A client that has gone without a word is noticed after these.
constexpr int kKeepaliveMilliseconds = 10'000;
constexpr int kKeepaliveTimeoutMilliseconds = 5'000;
constexpr int kMaxStreamsPerConnection = 100;

// gRPC's own log lines come as warnings: what it calls an error is mostly a
// client's.
void LogFromGrpc(gpr_log_func_args* args) {
  if (args->severity == GPR_LOG_SEVERITY_ERROR) {
    LOG_EVERY_N(WARNING, 100)
        << "grpc: " << args->message << " (" << google::COUNTER << " so far)";
  } else {
    VLOG(1) << "grpc: " << args->message;
  }
}

// Settings of the whole process, made once before the first server.
void SetUpLibrary() {
  static std::once_flag once;
  std::call_once(once, [] {
    gpr_set_log_function(&LogFromGrpc);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

std::shared_ptr<grpc::ServerCredentials> MakeCredentials(
    const TlsOptions* tls) {
  if (tls == nullptr) return grpc::InsecureServerCredentials();
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          tls->private_key_file, tls->cert_file, tls->client_ca_file,
          static_cast<unsigned>(ServerTls::kReloadPeriod.count())));
  options.watch_identity_key_cert_pairs();
  if (tls->client_ca_file.empty()) {
    options.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  } else {
    options.watch_root_certs();
    options.set_cert_request_type(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace

void RestrictGrpcToTls13() {
  // These need a pre-shared key, which nobody has. TLS 1.3 has ciphers of its
  // own.
  setenv("GRPC_SSL_CIPHER_SUITES", "PSK-AES128-GCM-SHA256", 1);
}

class GrpcServer::Impl {
 public:
  Impl(const Freshness& freshness, std::vector<NamedService> services,
       std::unique_ptr<grpc::Server> server)
      : freshness_(freshness),
        services_(std::move(services)),
        server_(std::move(server)),
        health_thread_([this] { FollowFreshness(); }) {}

  ~Impl() { Stop(std::chrono::system_clock::now()); }

  void StopServing() {
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
      stopping_ = true;
    }
    changed_.NotifyAll();
    health_thread_.join();
    SetServing(false);
  }

  void Stop(std::chrono::system_clock::time_point deadline) {
    StopServing();
    server_->Shutdown(deadline);
    server_->Wait();
  }

 private:
  void SetServing(bool serving) {
    grpc::HealthCheckServiceInterface* const health =
        server_->GetHealthCheckService();
    health->SetServingStatus("", serving);
    for (const NamedService& service : services_) {
      health->SetServingStatus(service.name, serving);
    }
  }

  void FollowFreshness() {
    const MutexLock lock(mutex_);
    while (!stopping_) {
      SetServing(freshness_.Check(Freshness::Clock::now()).ok());
      changed_.WaitUntil(mutex_,
                         std::chrono::steady_clock::now() + kHealthPeriod);
    }
  }

  const Freshness& freshness_;
  const std::vector<NamedService> services_;
  const std::unique_ptr<grpc::Server> server_;
  Mutex mutex_;
  CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread health_thread_;
};

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    const Options& options, const Freshness& freshness,
    const std::vector<NamedService>& services) {
  const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(options.address);
  if (!endpoint.ok()) return endpoint.status();
  SetUpLibrary();
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota;
  quota.SetMaxThreads(options.max_threads);
  quota.Resize(options.max_memory_bytes);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<std::size_t>(
      options.max_message_bytes, std::numeric_limits<int>::max())));
  // Two processes on one port would share its connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                             kKeepaliveMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             kKeepaliveTimeoutMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             kMaxStreamsPerConnection);
  int port = 0;
  builder.AddListeningPort(options.address, MakeCredentials(options.tls),
                           &port);
  for (const NamedService& service : services) {
    builder.RegisterService(service.service);
  }
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", options.address, " for gRPC"));
  }
  auto impl = std::make_unique<Impl>(freshness, services, std::move(server));
  return std::unique_ptr<GrpcServer>(new GrpcServer(
      Endpoint{endpoint->host, static_cast<std::uint16_t>(port)}.ToString(),
      std::move(impl)));
}

GrpcServer::GrpcServer(std::string address, std::unique_ptr<Impl> impl)
    : address_(std::move(address)), impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() = default;

void GrpcServer::StopServing() {
  if (impl_ != nullptr) impl_->StopServing();
}

void GrpcServer::Stop(std::chrono::system_clock::time_point deadline) {
  if (impl_ == nullptr) return;
  impl_->Stop(deadline);
  impl_.reset();
}

}  // namespace vicinal
