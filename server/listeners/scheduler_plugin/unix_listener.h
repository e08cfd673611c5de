// A Unix socket that only its owner may open, and that comes back.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_LISTENER_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_LISTENER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"

namespace vicinal {

// Thread-safe.
class UnixListener {
 public:
  // How long it takes at most to notice that the socket is not at its path any
  // more. Then it listens there anew; connections that are open stay.
  static constexpr std::chrono::milliseconds kCheckPeriod{500};

  // Gets a connection: a descriptor, which it has to close. Called from one
  // thread.
  using OnConnection = std::function<void(int fd)>;

  // Listens at a path, with file mode 0600. A socket that is there and has no
  // listener is removed. Errors: InvalidArgument for a path that is too long,
  // that has no directory, or where there is anything but a socket;
  // AlreadyExists if somebody listens there; Unavailable if the system refuses.
  static absl::StatusOr<std::unique_ptr<UnixListener>> Start(
      const std::string& path, OnConnection on_connection);

  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;
  // Accepts no more, and removes the socket if it is still its own.
  ~UnixListener();

 private:
  // An open socket, and which file it is.
  struct Socket {
    int fd = -1;
    std::pair<std::uint64_t, std::uint64_t> file;  // Device and inode.
  };

  UnixListener(std::string path, OnConnection on_connection, Socket socket,
               int wake_fd);
  static absl::StatusOr<Socket> Listen(const std::string& path);
  bool IsAtItsPath() const;
  void Run();
  void Accept();
  void ListenAnew();

  const std::string path_;
  const OnConnection on_connection_;
  Socket socket_;  // Used by thread_ alone while it runs.
  const int wake_fd_;
  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_LISTENER_H_
