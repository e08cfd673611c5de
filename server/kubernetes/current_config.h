#ifndef VICINAL_SERVER_KUBERNETES_CURRENT_CONFIG_H_
#define VICINAL_SERVER_KUBERNETES_CURRENT_CONFIG_H_

#include <string>

#include "server/kubernetes/client_config.h"
#include "server/kubernetes/tls_context.h"

namespace vicinal {

// A ClientConfig whose files may be replaced while the process runs: by kubelet
// in a pod, by whoever rotates them elsewhere. That is the kubeconfig that it
// came from, with all that stands in it, and the files of trust anchors and of
// the client certificate. Not thread safe.
class CurrentConfig {
 public:
  explicit CurrentConfig(ClientConfig config);

  // What is in use.
  const ClientConfig& config() const { return config_; }

  // Whether files have changed into something that can be used since the last
  // call (at first: since `config` was made). Then config() is new, and so is
  // the context for new connections in `*context`, null without TLS. What
  // cannot be used is logged once. Reads each file: for new connections, not
  // for every request.
  bool Changed(TlsContext* context);

 private:
  void Complain(const std::string& problem);

  ClientConfig config_;
  std::string kubeconfig_;    // The text of which config_ was made, or "".
  std::string last_problem_;  // That was logged.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_CURRENT_CONFIG_H_
