// The process behind `vicinal serve`: the state of a cluster, the services that
// answer from it, and their listeners.
#ifndef VICINAL_SERVER_COMMANDS_SERVE_SERVER_H_
#define VICINAL_SERVER_COMMANDS_SERVE_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/commands/explain/live_explainer.h"
#include "server/commands/release/scheduler_release.h"
#include "server/commands/serve/api_server.h"
#include "server/commands/serve/serve_options.h"
#include "server/decisions/decision_ring.h"
#include "server/decisions/decision_writer.h"
#include "server/listeners/admin/admin_service.h"
#include "server/listeners/extender/extender_binder.h"
#include "server/listeners/extender/extender_service.h"
#include "server/listeners/grpc/grpc_cluster_state.h"
#include "server/listeners/grpc/grpc_extender.h"
#include "server/listeners/grpc/grpc_roles.h"
#include "server/listeners/grpc/grpc_server.h"
#include "server/listeners/http/http_server.h"
#include "server/listeners/tls/server_tls.h"
#include "server/live_page/live_page.h"
#include "server/metrics/metrics.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_store.h"
#include "server/state/cluster_watch.h"
#include "server/state/freshness.h"
#include "server/state/in_flight_pods.h"
#include "server/state/lead_check.h"
#include "server/state/pod_retries.h"
#include "server/state/rescue/rescuer.h"
#include "server/state/second_looks.h"

namespace vicinal {

class Server {
 public:
  // Reads the files that the options name, begins to watch the cluster, and
  // binds the listeners; all run on threads of their own, which have the
  // signal mask of the calling thread. Call it while there is one thread and
  // before any other use of gRPC. Errors: those of Validate, files and
  // addresses that cannot be used.
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServeOptions& options, const SchedulerRelease& release = {});
  // Stops at once, whatever is under way.
  ~Server();

  // Where it listens: "extender=<address> admin=<address> grpc=<address>", the
  // last only if there is gRPC.
  std::string Addresses() const;

  // Is not ready any more, accepts no more requests, and lets those under way
  // finish for up to ServeOptions::shutdown_timeout. Blocks meanwhile.
  void Stop();

 private:
  Server(const ServeOptions& options, const SchedulerRelease& release,
         SchedulerProfiles profiles, std::unique_ptr<ServerTls> tls,
         std::unique_ptr<ServerTls> admin_tls, GrpcRoles grpc_roles,
         std::unique_ptr<ApiServer> api_server);

  // What can fail of starting, in this order.
  absl::Status FillStore();
  absl::Status ListenForScheduler();
  absl::Status ListenForAdmin();
  absl::Status ListenForGrpc();

  // A member may use those above it, never those below: members are destroyed
  // from the last to the first, so the listeners end before what they ask.
  const ServeOptions options_;
  const SchedulerProfiles profiles_;
  const std::unique_ptr<ServerTls> tls_;  // Null: no TLS.
  // The same files, but for those who read the metrics.
  const std::unique_ptr<ServerTls> admin_tls_;
  const GrpcRoles grpc_roles_;
  const std::unique_ptr<ApiServer> api_server_;  // Null: no API server.

  Metrics metrics_;
  ClusterStore store_;
  Freshness freshness_;
  LeadCheck lead_check_;
  const std::unique_ptr<PodRetries> pod_retries_;  // Null: none try again.
  InFlightPods in_flight_;
  const std::unique_ptr<Rescuer> rescuer_;  // Null: no pod is rescued.
  // Null: nobody looks.
  const std::unique_ptr<SecondLooks> second_looks_;

  DecisionRing decisions_;
  // Null: they are not written to a file.
  const std::unique_ptr<DecisionWriter> decision_writer_;
  const ExtenderService extender_;
  const ExtenderBinder binder_;
  const LiveExplainer explainer_;
  LivePage live_page_;
  AdminService admin_;
  GrpcExtender grpc_extender_;
  GrpcClusterState grpc_cluster_state_;

  std::unique_ptr<ClusterWatch> watch_;  // Null without an API server.
  std::unique_ptr<HttpServer> extender_server_;
  std::unique_ptr<HttpServer> admin_server_;
  std::unique_ptr<GrpcServer> grpc_server_;  // Null: no gRPC.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SERVE_SERVER_H_
