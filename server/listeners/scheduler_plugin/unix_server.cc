#include "server/listeners/scheduler_plugin/unix_server.h"

#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

// Nobody but this user may connect.
constexpr mode_t kUmask = 0177;

absl::Status CannotUse(const std::string& path, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", problem));
}

bool HasListener(const sockaddr_un& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool connected =
      connect(fd, reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0;
  close(fd);
  return connected;
}

// Leaves nothing at the path, or says why not.
absl::Status ClearPath(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return CannotUse(
        path, absl::StrCat("must have 1 to ", sizeof(address.sun_path) - 1,
                           " bytes"));
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return CannotUse(path, std::strerror(errno));
  }
  if (!S_ISSOCK(found.st_mode)) return CannotUse(path, "is not a socket");
  if (HasListener(address)) {
    return absl::AlreadyExistsError(path + ": another process listens there");
  }
  if (unlink(path.c_str()) != 0) return CannotUse(path, std::strerror(errno));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<UnixServer>> UnixServer::Start(
    const Options& options, grpc::Service& service) {
  if (absl::Status status = ClearPath(options.path); !status.ok()) {
    return status;
  }
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<std::size_t>(
      options.max_message_bytes, std::numeric_limits<int>::max())));
  int bound = 0;
  builder.AddListeningPort("unix:" + options.path,
                           grpc::InsecureServerCredentials(), &bound);
  builder.RegisterService(&service);
  const mode_t old_umask = umask(kUmask);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  umask(old_umask);
  if (server == nullptr || bound == 0) {
    return absl::UnavailableError("cannot listen on " + options.path);
  }
  return std::unique_ptr<UnixServer>(new UnixServer(std::move(server)));
}

UnixServer::UnixServer(std::unique_ptr<grpc::Server> server)
    : server_(std::move(server)) {}

UnixServer::~UnixServer() { Stop(std::chrono::system_clock::now()); }

void UnixServer::Stop(std::chrono::system_clock::time_point deadline) {
  if (server_ == nullptr) return;
  server_->Shutdown(deadline);
  server_->Wait();
  server_ = nullptr;
}

}  // namespace vicinal
