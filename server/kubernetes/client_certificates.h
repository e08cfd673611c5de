#ifndef VICINAL_SERVER_KUBERNETES_CLIENT_CERTIFICATES_H_
#define VICINAL_SERVER_KUBERNETES_CLIENT_CERTIFICATES_H_

#include <string>

#include "server/kubernetes/client_config.h"
#include "server/kubernetes/tls_context.h"

namespace vicinal {

// The trust anchors and the client certificate of a ClientConfig whose files
// may be replaced while the process runs: by kubelet in a pod, by whoever
// rotates them elsewhere. Not thread safe.
class ClientCertificates {
 public:
  explicit ClientCertificates(ClientConfig config);

  // The context for new connections if files have changed into something that
  // can be used since the last call (at first: since `config` was made), else
  // null. What cannot be used is logged once. Reads each file: for new
  // connections, not for every request.
  TlsContext Changed();

 private:
  void Complain(const std::string& problem);

  ClientConfig config_;       // With what is in use.
  std::string last_problem_;  // That was logged.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_CLIENT_CERTIFICATES_H_
