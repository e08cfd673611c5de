// A gRPC server with the standard health service and server reflection.
//
//   GrpcServer::Options options;
//   options.address = "127.0.0.1:0";
//   auto server = GrpcServer::Start(options, freshness, {&extender});
//
// grpc.health.v1.Health says SERVING, for "" and for each service, while
// questions would be answered, with a delay of up to kHealthPeriod.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_GRPC_SERVER_H_
#define VICINAL_SERVER_LISTENERS_GRPC_GRPC_SERVER_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/listeners/tls/server_tls.h"
#include "server/state/freshness.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace vicinal {

// Makes all gRPC connections of the process refuse TLS 1.2, by leaving it no
// cipher: gRPC 1.51 has no option for it. To be called before any other use of
// gRPC, while there is one thread.
void RestrictGrpcToTls13();

// Thread-safe.
class GrpcServer {
 public:
  static constexpr std::chrono::milliseconds kHealthPeriod{100};

  struct Options {
    std::string address;  // As HttpServer's.
    std::size_t max_message_bytes = 64 << 20;
    // Calls that are answered at a time; more are refused with
    // RESOURCE_EXHAUSTED.
    int max_threads = 256;
    // Of all that is received and not read, or written and not sent; beyond
    // this gRPC reads no more, and refuses calls.
    std::size_t max_memory_bytes = std::size_t{1} << 30;
    // Null: no TLS. With a client CA every client must have a certificate. The
    // files are read again when they change; while they are not a pair new
    // connections fail.
    const TlsOptions* tls = nullptr;
  };

  // A service and its full name, such as "vicinal.v1.Extender".
  struct NamedService {
    std::string name;
    grpc::Service* service;
  };

  // Binds and serves, on threads of its own. The services and the freshness
  // must outlive the server. InvalidArgument for an address that is none,
  // Unavailable if it cannot be bound.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      const Options& options, const Freshness& freshness,
      const std::vector<NamedService>& services);

  // As Stop, without patience.
  ~GrpcServer();

  // "host:port" with the port that was bound.
  const std::string& address() const { return address_; }

  // Says NOT_SERVING from now on, whatever the freshness.
  void StopServing();

  // Accepts no more, lets the calls that are under way finish until `deadline`,
  // cancels the others and joins the threads. A second call does nothing.
  void Stop(std::chrono::system_clock::time_point deadline);

 private:
  class Impl;
  GrpcServer(std::string address, std::unique_ptr<Impl> impl);

  const std::string address_;
  std::unique_ptr<Impl> impl_;  // Null once stopped.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_GRPC_SERVER_H_
