// Evicts pods through the API, which respects PodDisruptionBudgets.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_EVICTOR_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_EVICTOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/deschedule/plan.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

struct EvictResult {
  enum class Outcome {
    kEvicted,
    // The pod is not what the plan was made for: gone, another one, on another
    // node, terminating.
    kChanged,
    kRefused,  // By a PodDisruptionBudget (429).
    kFailed,   // By any other answer.
    // The API server gives no answer, or knows no client of ours: others would
    // fare no better.
    kUnreachable,
  };

  Outcome outcome = Outcome::kEvicted;
  std::string message;  // Why not.
};

// "evicted", "changed", "refused", "failed" or "unreachable".
const char* NameOf(EvictResult::Outcome outcome);

// Thread-safe.
class Evictor {
 public:
  // The client must outlive this. It has the connections for all but the
  // evictions themselves: each of those gets one of its own, made by `config`
  // and `options`, because over one that is kept a request may arrive twice.
  Evictor(BlockingApiClient& client, ClientConfig config,
          ApiClientOptions options,
          std::optional<std::int64_t> grace_period_seconds)
      : client_(client),
        config_(std::move(config)),
        options_(std::move(options)),
        grace_period_seconds_(grace_period_seconds) {}

  // Looks whether the pod is still what was planned for, and evicts it, which
  // the API server does only if it has that uid. Sent once; if the answer does
  // not come, the pod is looked at to know what has happened.
  // Source: Eviction in k8s.io/api/policy/v1/types.go.
  EvictResult Evict(const PlannedEviction& planned);

  // Records an event on the evicted pod. Failures are logged.
  void Record(const PlannedEviction& evicted);

 private:
  absl::StatusOr<ApiResponse> SendOnce(ApiRequest request) const;

  BlockingApiClient& client_;
  const ClientConfig config_;
  const ApiClientOptions options_;
  const std::optional<std::int64_t> grace_period_seconds_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_EVICTOR_H_
