// Calls a credential plugin.
#ifndef VICINAL_SERVER_KUBERNETES_EXEC_CREDENTIAL_H_
#define VICINAL_SERVER_KUBERNETES_EXEC_CREDENTIAL_H_

#include <chrono>

#include "absl/status/status.h"
#include "server/kubernetes/client_config.h"
#include "server/kubernetes/exec_plugin.h"

namespace vicinal {

// Runs the plugin, and puts the token or the client certificate that it prints
// into `config`; a token or certificate that is there already stays, and then
// nothing runs. What it prints is read once: who needs credentials for longer
// than they are valid calls again. Its standard error is this process's, and so
// is its standard input if that is a terminal and the plugin may use it.
//
// Errors begin with where the plugin stands: it is not found (with its
// installHint), does not end in `timeout`, ends with an error, prints something
// else than an ExecCredential of its version, without credentials, or with such
// that have expired. Secrets are not repeated. As exec.go in client-go,
// plugin/pkg/client/auth/exec.
absl::Status UseExecPlugin(const ExecPlugin& plugin,
                           std::chrono::milliseconds timeout,
                           ClientConfig& config);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_EXEC_CREDENTIAL_H_
