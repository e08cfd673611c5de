#ifndef VICINAL_SERVER_KUBERNETES_BLOCKING_API_CLIENT_H_
#define VICINAL_SERVER_KUBERNETES_BLOCKING_API_CLIENT_H_

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "core/sync/mutex.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Sends single requests to an API server and waits for their answers, for
// threads that may block. Keeps as many connections as there were calls at a
// time, to be used again. Thread-safe.
class BlockingApiClient {
 public:
  // Errors: certificates or keys of the configuration that cannot be used.
  static absl::StatusOr<std::unique_ptr<BlockingApiClient>> Create(
      const ClientConfig& config, const ApiClientOptions& options);
  ~BlockingApiClient();

  // As ApiClient::Send. Blocks for as long as the timeouts of the options say.
  absl::StatusOr<ApiResponse> Send(ApiRequest request);

 private:
  struct Connection;
  BlockingApiClient(const ClientConfig& config,
                    const ApiClientOptions& options);
  absl::StatusOr<std::unique_ptr<Connection>> Take();

  const ClientConfig config_;
  const ApiClientOptions options_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_BLOCKING_API_CLIENT_H_
