// Evicts pods through the API, which respects PodDisruptionBudgets.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_EVICTOR_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_EVICTOR_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/deschedule/plan.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/blocking_api_client.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Whom an event is about, in the namespace of the pod.
struct EventSubject {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
};

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
  std::string message = {};  // Why not.
  // The controller of the evicted pod, or its first owner; absent if it has
  // none.
  std::optional<EventSubject> owner = std::nullopt;
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

  // Records an event about the evicted pod, and one about its owner: reason and
  // action as the descheduler has them. Failures are logged; after one nothing
  // is recorded for a minute, so that events hold no eviction up for long.
  // Source: sigs.k8s.io/descheduler pkg/descheduler/evictions/evictions.go.
  void Record(const PlannedEviction& evicted,
              const std::optional<EventSubject>& owner);

 private:
  using Clock = std::chrono::steady_clock;

  absl::StatusOr<ApiResponse> SendOnce(ApiRequest request) const;
  absl::Status PostEvent(const PlannedEviction& evicted,
                         const EventSubject& subject);

  BlockingApiClient& client_;
  const ClientConfig config_;
  const ApiClientOptions options_;
  const std::optional<std::int64_t> grace_period_seconds_;
  std::atomic<Clock::time_point> no_event_before_ = Clock::time_point::min();
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_EVICTOR_H_
