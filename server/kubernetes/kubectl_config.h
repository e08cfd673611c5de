// The cluster that kubectl would talk to.
#ifndef VICINAL_SERVER_KUBERNETES_KUBECTL_CONFIG_H_
#define VICINAL_SERVER_KUBERNETES_KUBECTL_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

struct KubectlConfig {
  ClientConfig client;         // With the credentials of a plugin.
  std::string namespace_name;  // The context's, or "default".
};

// The files that kubectl reads: those of $KUBECONFIG that are there, or
// ~/.kube/config. Empty: there are none.
std::vector<std::string> KubectlFiles();

// Reads `kubeconfig`, or KubectlFiles() if that is empty, and takes `context`,
// or the current one if that is empty. Calls the user's credential plugin, for
// at most a minute. Errors: those of LoadKubeconfigs and UseExecPlugin; there
// is no file.
absl::StatusOr<KubectlConfig> LoadKubectlConfig(const std::string& kubeconfig,
                                                const std::string& context);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_KUBECTL_CONFIG_H_
