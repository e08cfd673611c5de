// What an API server has, kept by watches.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_CLUSTER_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_CLUSTER_H_

#include <chrono>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/deschedule/plan.h"
#include "core/model/kubernetes_release.h"
#include "core/simulate/cluster_receiver.h"
#include "server/commands/deschedule/stop.h"
#include "server/kubernetes/client_config.h"
#include "server/kubernetes/reflector_thread.h"
#include "server/kubernetes/resource_handler.h"

namespace vicinal {

struct WatchedObjects;

// Each resource is listed once, and again only where the API server has
// forgotten what the watch has missed. Memory: that of a ClusterState.
class WatchedCluster {
 public:
  // Starts to list and watch, on a thread of its own. Error: certificates or
  // keys that cannot be used.
  static absl::StatusOr<std::unique_ptr<WatchedCluster>> Start(
      const ClientConfig& config, const KubernetesRelease& release);
  ~WatchedCluster();

  // Waits until every resource is known and watched (a watch that has fallen
  // silent is noticed within 20 seconds, see ReflectorOptions), and until the
  // watch has told of each pod in `evicted`, whose eviction the API server has
  // accepted, that it is terminating or gone. Then gives all objects to
  // receiver.add, with the facts of pods. Errors: kUnavailable after
  // `patience`, or at once kPermissionDenied, with the resource and what its
  // watch lacks; kCancelled when `stop` is set; an object that cannot be read,
  // with its field. Not thread-safe. Cost: O(objects) under the lock that the
  // watch takes; no request.
  absl::Status Read(const std::vector<PlannedEviction>& evicted,
                    std::chrono::milliseconds patience, const Stop& stop,
                    const ClusterReceiver& receiver);

 private:
  explicit WatchedCluster(const KubernetesRelease& release);

  const std::unique_ptr<WatchedObjects> objects_;
  std::vector<std::unique_ptr<ResourceHandler>> handlers_;
  std::unique_ptr<ReflectorThread> thread_;  // Ends before the handlers.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_CLUSTER_H_
