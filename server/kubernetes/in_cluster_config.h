#ifndef VICINAL_SERVER_KUBERNETES_IN_CLUSTER_CONFIG_H_
#define VICINAL_SERVER_KUBERNETES_IN_CLUSTER_CONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// What a container finds out about its cluster.
struct InClusterEnvironment {
  std::string service_host;         // $KUBERNETES_SERVICE_HOST
  std::string service_port;         // $KUBERNETES_SERVICE_PORT
  std::string service_account_dir;  // holds `token` and `ca.crt`

  // The environment of this process; variables that are not set are empty.
  static InClusterEnvironment OfThisProcess();
};

// The configuration of a pod that speaks with its service account to the API
// server of its cluster. Errors name the variable or file, and its value.
absl::StatusOr<ClientConfig> InClusterConfig(
    const InClusterEnvironment& environment =
        InClusterEnvironment::OfThisProcess());

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_IN_CLUSTER_CONFIG_H_
