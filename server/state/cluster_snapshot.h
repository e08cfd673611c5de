// A cluster as an API server has it at one moment.
#ifndef VICINAL_SERVER_STATE_CLUSTER_SNAPSHOT_H_
#define VICINAL_SERVER_STATE_CLUSTER_SNAPSHOT_H_

#include <functional>

#include "absl/status/status.h"
#include "core/model/object.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Lists what vicinal looks at, one kind after the other, without a watch, and
// calls `add` for each object. Errors: those of the connection and of the API
// server, and objects that cannot be read; they name the resource.
absl::Status ReadClusterFromApi(const ClientConfig& config,
                                const std::function<void(Object)>& add);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_SNAPSHOT_H_
