// Writes where pods go through the API.
#ifndef VICINAL_SERVER_KUBERNETES_POD_BINDER_H_
#define VICINAL_SERVER_KUBERNETES_POD_BINDER_H_

#include <string>

#include "server/kubernetes/blocking_api_client.h"

namespace vicinal {

struct PodBinding {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string node;
};

struct BindResult {
  enum class Outcome {
    kWritten,  // Or the pod was on that node already.
    kRefused,  // The pod is not on that node.
    kUnknown,  // No answer: the API server may have written it all the same.
  };

  Outcome outcome = Outcome::kWritten;
  std::string message;  // Why not; the API server's words where it has said so.
};

// Thread-safe.
class PodBinder {
 public:
  // The client must outlive the binder.
  explicit PodBinder(BlockingApiClient& client) : client_(client) {}

  // Binds the pod of that uid to the node. Names must be those of Kubernetes
  // objects: they become part of the path. Blocks for as long as the client
  // does, twice at most.
  BindResult Bind(const PodBinding& binding);

 private:
  // What the API server says about the pod now.
  BindResult LookAt(const PodBinding& binding, BindResult failed);

  BlockingApiClient& client_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_POD_BINDER_H_
