#ifndef VICINAL_SERVER_KUBERNETES_KUBECONFIG_H_
#define VICINAL_SERVER_KUBERNETES_KUBECONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Reads one kubeconfig file (YAML or JSON) and resolves `context`, or its
// current-context if that is empty. Relative paths inside are relative to the
// file's folder; certificate and key files are read now, and again later where
// the ClientConfig names them, as a tokenFile and the kubeconfig itself are.
// The certificates and keys are checked.
//
// Refused by name, because ignoring them would change who the client is or whom
// it talks to: exec, auth-provider, username, password, as, as-uid, as-groups,
// as-user-extra, proxy-url.
//
// Errors read "<file>: <field>: value <value>: <what is wrong>"; secrets are
// not repeated.
absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path,
                                            const std::string& context = "");

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_KUBECONFIG_H_
