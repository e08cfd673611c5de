#ifndef VICINAL_SERVER_KUBERNETES_REFLECTOR_THREAD_H_
#define VICINAL_SERVER_KUBERNETES_REFLECTOR_THREAD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/client_config.h"
#include "server/kubernetes/reflector_options.h"
#include "server/kubernetes/resource_handler.h"

namespace vicinal {

struct ReflectedResource {
  std::string path;  // "/api/v1/pods", "/apis/apps/v1/replicasets"
  // "" for none, or "status.phase!=Succeeded,status.phase!=Failed": an object
  // that stops to match it is reported as deleted.
  std::string field_selector;
  ResourceHandler* handler;  // not owned; outlives the ReflectorThread
};

// A thread that reflects any number of kinds of objects from one API server,
// each over a connection of its own. The handlers are called on that thread;
// two resources may share one handler.
class ReflectorThread {
 public:
  // Starts at once; does not wait for a connection. Errors: certificates or
  // keys of the configuration that cannot be used.
  static absl::StatusOr<std::unique_ptr<ReflectorThread>> Start(
      const ClientConfig& config,
      const std::vector<ReflectedResource>& resources,
      const ReflectorOptions& reflector_options = {},
      const ApiClientOptions& client_options = {});

  // As Stop().
  ~ReflectorThread();

  // Cancels everything and joins the thread; no handler is called after it
  // returns. Takes as long as the handler call under way, and, if the name of
  // the server is being looked up, as the C library needs for that
  // (resolv.conf; by default up to ten seconds for each name server). Not from
  // a handler. Again: does nothing.
  void Stop();

 private:
  class Impl;
  explicit ReflectorThread(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_REFLECTOR_THREAD_H_
