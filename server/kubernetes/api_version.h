#ifndef VICINAL_SERVER_KUBERNETES_API_VERSION_H_
#define VICINAL_SERVER_KUBERNETES_API_VERSION_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/kubernetes/blocking_api_client.h"

namespace vicinal {

// What the API server says it is, such as "v1.36.3": gitVersion of /version,
// which everyone may read. Blocks as BlockingApiClient::Send does. Errors:
// those of the connection, of the API server, and an answer that is none, with
// the path. Thread-safe.
absl::StatusOr<std::string> ReadApiVersion(BlockingApiClient& client);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_API_VERSION_H_
