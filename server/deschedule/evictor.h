// Evicts pods through the API, which respects PodDisruptionBudgets.
#ifndef VICINAL_SERVER_DESCHEDULE_EVICTOR_H_
#define VICINAL_SERVER_DESCHEDULE_EVICTOR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/deschedule/plan.h"
#include "server/kubernetes/blocking_api_client.h"

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
  // The client must outlive this.
  Evictor(BlockingApiClient& client,
          std::optional<std::int64_t> grace_period_seconds)
      : client_(client), grace_period_seconds_(grace_period_seconds) {}

  // Looks whether the pod is still what was planned for, and evicts it, which
  // the API server does only if it has that uid. Sent once; if the answer does
  // not come, the pod is looked at to know what has happened.
  // Source: Eviction in k8s.io/api/policy/v1/types.go.
  EvictResult Evict(const PlannedEviction& planned);

  // Records an event on the evicted pod. Failures are logged.
  void Record(const PlannedEviction& evicted);

 private:
  BlockingApiClient& client_;
  const std::optional<std::int64_t> grace_period_seconds_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_DESCHEDULE_EVICTOR_H_
