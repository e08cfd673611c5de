// A gRPC server on a Unix socket.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_SERVER_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_SERVER_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/listeners/scheduler_plugin/unix_listener.h"

namespace grpc {
class Server;
class Service;
}  // namespace grpc

namespace vicinal {

// Not thread-safe.
class UnixServer {
 public:
  struct Options {
    std::string path;
    std::size_t max_message_bytes = 64 << 20;
  };

  // Listens, and serves on threads of its own. The service must outlive the
  // server. Errors: those of UnixListener.
  static absl::StatusOr<std::unique_ptr<UnixServer>> Start(
      const Options& options, grpc::Service& service);

  // As Stop, without patience.
  ~UnixServer();

  // Accepts no more, removes the socket, lets the calls that are under way
  // finish until `deadline`, cancels the others and joins the threads. A second
  // call does nothing.
  void Stop(std::chrono::system_clock::time_point deadline);

 private:
  UnixServer(std::unique_ptr<grpc::Server> server,
             std::unique_ptr<UnixListener> listener);

  std::unique_ptr<grpc::Server> server_;    // Null once stopped.
  std::unique_ptr<UnixListener> listener_;  // Gives connections to server_.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_UNIX_SERVER_H_
