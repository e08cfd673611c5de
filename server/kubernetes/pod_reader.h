// Asks the API server about one pod.
#ifndef VICINAL_SERVER_KUBERNETES_POD_READER_H_
#define VICINAL_SERVER_KUBERNETES_POD_READER_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "core/model/pod.h"
#include "server/kubernetes/api_client_pool.h"

namespace vicinal {

// Reads the pod of that namespace and name, and calls `done` with it on the
// pool's thread, or with the error: NotFound, or what is wrong with the
// connection or the answer. Does not block. Never calls `done` once the pool,
// which must outlive the call, has stopped.
void ReadPod(ApiClientPool& pool, const std::string& namespace_name,
             const std::string& name,
             std::function<void(absl::StatusOr<Pod>)> done);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_POD_READER_H_
