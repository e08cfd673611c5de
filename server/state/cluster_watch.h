// Keeps a store equal to what an API server has.
#ifndef VICINAL_SERVER_STATE_CLUSTER_WATCH_H_
#define VICINAL_SERVER_STATE_CLUSTER_WATCH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/kubernetes/client_config.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/reflector_thread.h"
#include "server/kubernetes/resource_handler.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/in_flight_pods.h"

namespace vicinal {

class ClusterWatch {
 public:
  // The resources that are watched, as the API names them.
  static std::vector<std::string> Resources();

  // Starts to list and watch, on a thread of its own. `freshness` must have
  // been made for Resources(), and `in_flight` for the store; all four must
  // outlive the watch. The API server is asked for `encoding`, and may answer
  // in JSON all the same. Error: certificates or keys that cannot be used.
  static absl::StatusOr<std::unique_ptr<ClusterWatch>> Start(
      const ClientConfig& config, Encoding encoding, ClusterStore& store,
      InFlightPods& in_flight, Freshness& freshness, Metrics& metrics);

 private:
  ClusterWatch() = default;

  std::vector<std::unique_ptr<ResourceHandler>> sinks_;
  std::unique_ptr<ReflectorThread> thread_;  // Ends before the sinks.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_WATCH_H_
