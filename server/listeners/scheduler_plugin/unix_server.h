// A gRPC server on a Unix socket.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_SERVER_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_SERVER_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace grpc {
class Server;
class Service;
}  // namespace grpc

namespace vicinal {

// Thread-safe.
class UnixServer {
 public:
  struct Options {
    std::string path;
    std::size_t max_message_bytes = 64 << 20;
  };

  // Listens at a path, with file mode 0600, and serves on threads of its own.
  // A socket that is there and has no listener is removed. The service must
  // outlive the server. To be called while the process has one thread: it sets
  // the umask for a moment.
  // Errors: InvalidArgument for a path that is too long or where there is
  // anything but a socket, AlreadyExists if somebody listens there, Unavailable
  // if it cannot be bound.
  static absl::StatusOr<std::unique_ptr<UnixServer>> Start(
      const Options& options, grpc::Service& service);

  // As Stop, without patience.
  ~UnixServer();

  // Accepts no more, lets the calls that are under way finish until `deadline`,
  // cancels the others, joins the threads and removes the socket. A second call
  // does nothing.
  void Stop(std::chrono::system_clock::time_point deadline);

 private:
  explicit UnixServer(std::unique_ptr<grpc::Server> server);

  std::unique_ptr<grpc::Server> server_;  // Null once stopped.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_SERVER_H_
