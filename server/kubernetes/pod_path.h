#ifndef VICINAL_SERVER_KUBERNETES_POD_PATH_H_
#define VICINAL_SERVER_KUBERNETES_POD_PATH_H_

#include <string>

#include "absl/status/statusor.h"

namespace vicinal {

// Where the API server has a pod: "/api/v1/namespaces/ns/pods/p". The names may
// come from a request, and the API server need not have seen them:
// InvalidArgument, with the name, for one that would be another path.
// Thread-safe.
absl::StatusOr<std::string> PodPath(const std::string& namespace_name,
                                    const std::string& name);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_POD_PATH_H_
