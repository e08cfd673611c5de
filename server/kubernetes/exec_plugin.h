// A credential plugin of a kubeconfig: a program that prints a user's
// credentials, as managed clusters want it.
#ifndef VICINAL_SERVER_KUBERNETES_EXEC_PLUGIN_H_
#define VICINAL_SERVER_KUBERNETES_EXEC_PLUGIN_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/kubernetes/kubeconfig_fields.h"

namespace vicinal {

// Fields are those of ExecConfig in client-go,
// tools/clientcmd/api/v1/types.go.
struct ExecPlugin {
  enum class InteractiveMode { kNever, kIfAvailable, kAlways };

  std::string where;    // users[name].user.exec
  std::string command;  // A path, or a name without a slash, to be found.
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  // client.authentication.k8s.io/v1 or /v1beta1.
  std::string api_version;
  std::string install_hint;
  InteractiveMode interactive_mode = InteractiveMode::kIfAvailable;
  // With provideClusterInfo the cluster as JSON, spec.cluster of
  // ExecCredential; otherwise empty.
  std::string cluster_info;
};

// Reads the field exec of a user. `cluster` is the mapping of the cluster, and
// `certificate_authority_pem` what has been read of it. A relative path of a
// command begins in the file's folder. Errors name the field. Throws what
// yaml-cpp throws.
absl::StatusOr<ExecPlugin> ReadExecPlugin(
    const Section& exec, const Section& cluster,
    const std::string& certificate_authority_pem);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_EXEC_PLUGIN_H_
