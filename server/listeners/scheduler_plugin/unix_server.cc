#include "server/listeners/scheduler_plugin/unix_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"

namespace vicinal {

absl::StatusOr<std::unique_ptr<UnixServer>> UnixServer::Start(
    const Options& options, grpc::Service& service) {
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<std::size_t>(
      options.max_message_bytes, std::numeric_limits<int>::max())));
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    return absl::UnavailableError("the gRPC server does not start");
  }
  grpc::Server* const accepting = server.get();
  absl::StatusOr<std::unique_ptr<UnixListener>> listener = UnixListener::Start(
      options.path,
      [accepting](int fd) { grpc::AddInsecureChannelFromFd(accepting, fd); });
  if (!listener.ok()) return listener.status();
  return std::unique_ptr<UnixServer>(
      new UnixServer(std::move(server), *std::move(listener)));
}

UnixServer::UnixServer(std::unique_ptr<grpc::Server> server,
                       std::unique_ptr<UnixListener> listener)
    : server_(std::move(server)), listener_(std::move(listener)) {}

UnixServer::~UnixServer() { Stop(std::chrono::system_clock::now()); }

void UnixServer::Stop(std::chrono::system_clock::time_point deadline) {
  if (server_ == nullptr) return;
  listener_ = nullptr;
  server_->Shutdown(deadline);
  server_->Wait();
  server_ = nullptr;
}

}  // namespace vicinal
