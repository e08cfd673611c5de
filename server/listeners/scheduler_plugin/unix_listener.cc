#include "server/listeners/scheduler_plugin/unix_listener.h"

#include <glog/logging.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr int kBacklog = 16;

absl::Status CannotUse(const std::string& path, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", problem));
}

absl::Status Refused(const std::string& path, const char* call) {
  return absl::UnavailableError(
      absl::StrCat(path, ": ", call, ": ", std::strerror(errno)));
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
absl::Status ClearPath(const std::string& path, const sockaddr_un& address) {
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

std::pair<std::uint64_t, std::uint64_t> FileAt(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return {0, 0};
  return {found.st_dev, found.st_ino};
}

}  // namespace

absl::StatusOr<UnixListener::Socket> UnixListener::Listen(
    const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return CannotUse(
        path, absl::StrCat("must have 1 to ", sizeof(address.sun_path) - 1,
                           " bytes"));
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  if (absl::Status status = ClearPath(path, address); !status.ok()) {
    return status;
  }
  Socket made;
  made.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made.fd < 0) return Refused(path, "socket");
  // Linux gives the file the mode of the descriptor.
  const bool bound = fchmod(made.fd, kOwnerOnly) == 0 &&
                     bind(made.fd, reinterpret_cast<const sockaddr*>(&address),
                          sizeof(address)) == 0 &&
                     listen(made.fd, kBacklog) == 0;
  if (!bound) {
    absl::Status status = errno == ENOENT
                              ? CannotUse(path, "there is no such directory")
                              : Refused(path, "bind");
    close(made.fd);
    return status;
  }
  made.file = FileAt(path);
  return made;
}

absl::StatusOr<std::unique_ptr<UnixListener>> UnixListener::Start(
    const std::string& path, OnConnection on_connection) {
  const absl::StatusOr<Socket> socket = Listen(path);
  if (!socket.ok()) return socket.status();
  const int wake_fd = eventfd(0, EFD_CLOEXEC);
  if (wake_fd < 0) {
    close(socket->fd);
    return Refused(path, "eventfd");
  }
  return std::unique_ptr<UnixListener>(
      new UnixListener(path, std::move(on_connection), *socket, wake_fd));
}

UnixListener::UnixListener(std::string path, OnConnection on_connection,
                           Socket socket, int wake_fd)
    : path_(std::move(path)),
      on_connection_(std::move(on_connection)),
      socket_(socket),
      wake_fd_(wake_fd),
      thread_([this] { Run(); }) {}

UnixListener::~UnixListener() {
  const std::uint64_t one = 1;
  CHECK_EQ(write(wake_fd_, &one, sizeof(one)),
           static_cast<ssize_t>(sizeof(one)));
  thread_.join();
  close(wake_fd_);
  if (IsAtItsPath()) unlink(path_.c_str());
  if (socket_.fd >= 0) close(socket_.fd);
}

bool UnixListener::IsAtItsPath() const {
  return socket_.fd >= 0 && FileAt(path_) == socket_.file;
}

void UnixListener::Run() {
  while (true) {
    // poll skips a descriptor of -1.
    std::array<pollfd, 2> waited = {pollfd{wake_fd_, POLLIN, 0},
                                    pollfd{socket_.fd, POLLIN, 0}};
    const int ready = poll(waited.data(), waited.size(),
                           static_cast<int>(kCheckPeriod.count()));
    if (waited[0].revents != 0) return;
    if (ready > 0) Accept();
    if (ready <= 0 && !IsAtItsPath()) ListenAnew();
  }
}

void UnixListener::Accept() {
  const int fd =
      accept4(socket_.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0) return on_connection_(fd);
  if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) return;
  LOG_EVERY_N(ERROR, 100) << path_ << ": accept: " << std::strerror(errno);
  // Out of descriptors, most likely: no busy loop.
  std::this_thread::sleep_for(kCheckPeriod);
}

void UnixListener::ListenAnew() {
  const absl::StatusOr<Socket> made = Listen(path_);
  if (!made.ok()) {
    LOG_EVERY_N(ERROR, 100) << "the socket is gone, and cannot be made anew: "
                            << made.status().message();
    return;
  }
  LOG(WARNING) << path_ << " was removed, and is there again";
  if (socket_.fd >= 0) close(socket_.fd);
  socket_ = *made;
}

}  // namespace vicinal
