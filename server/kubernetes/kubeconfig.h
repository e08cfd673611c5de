#ifndef VICINAL_SERVER_KUBERNETES_KUBECONFIG_H_
#define VICINAL_SERVER_KUBERNETES_KUBECONFIG_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/kubernetes/client_config.h"
#include "server/kubernetes/exec_plugin.h"

namespace vicinal {

// What a context says.
struct Kubeconfig {
  ClientConfig client;
  std::string namespace_name;      // Empty: none.
  std::optional<ExecPlugin> exec;  // Who makes the user's credentials.
};

// Reads kubeconfig files (YAML or JSON), at least one, and resolves `context`,
// or their current-context if that is empty. Of the files the first that has
// an entry of a name, or a current-context, counts
// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/).
// No plugin is called. Relative paths inside are relative to the folder of the
// file that has them; certificate and key files are read now, and again later
// where the ClientConfig names them, as a tokenFile and the kubeconfig itself
// are. The certificates and keys are checked.
//
// Refused by name, because ignoring them would change who the client is or whom
// it talks to: auth-provider, username, password, as, as-uid, as-groups,
// as-user-extra, proxy-url.
//
// Errors read "<file>: <field>: value <value>: <what is wrong>"; secrets are
// not repeated.
absl::StatusOr<Kubeconfig> LoadKubeconfigs(
    const std::vector<std::string>& paths, const std::string& context);

// The same of one file for what runs for long: exec is refused as well.
absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path,
                                            const std::string& context = "");

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_KUBECONFIG_H_
