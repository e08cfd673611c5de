// The scheduler extender: filter, prioritize and preempt, over HTTP and for
// gRPC. extender_binder.h has bind.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_SERVICE_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_SERVICE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/sync/mutex.h"
#include "server/decisions/decision_record.h"
#include "server/decisions/decision_ring.h"
#include "server/listeners/extender/candidates.h"
#include "server/listeners/extender/extender_args.h"
#include "server/listeners/extender/extender_result.h"
#include "server/listeners/extender/preemption_args.h"
#include "server/listeners/http/http_server.h"
#include "server/metrics/metrics.h"
#include "server/metrics/refused_pods.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/in_flight_pods.h"
#include "server/state/rescue/rescuer.h"
#include "server/state/second_looks.h"

namespace vicinal {

enum class ExtenderMode {
  // filter answers the one node that the scheduler would choose, or why no node
  // will do.
  kDecide,
  // filter answers every node that fits, and the scheduler chooses.
  kAdvise,
};

enum class ScoreScale {
  // 0 … 400: 2 × PodTopologySpread + 2 × InterPodAffinity. With extender weight
  // 1 and the weights of the in-tree plugins ×10 the scheduler's sums are ten
  // times the in-tree ones.
  kExact,
  // 0 … 10, extender/v1's MaxExtenderPriority.
  kExtender,
};

struct ExtenderOptions {
  ExtenderMode mode = ExtenderMode::kDecide;
  ScoreScale score_scale = ScoreScale::kExact;  // Of prioritize.
  // Of the choice among nodes of equal score; absent: another one each time.
  std::optional<std::uint64_t> seed = std::nullopt;
  // filter is held back while bindings queue for longer than `max_queued`; for
  // `max_hold` at most, then the answer is an error.
  std::chrono::milliseconds max_queued{1000};
  std::chrono::milliseconds max_hold{3000};
  // preempt waits so long for the watch to tell of a pod that it asks about:
  // the scheduler's own watch may be ahead.
  std::chrono::milliseconds max_watch_lag{1000};
};

// Thread-safe.
class ExtenderService {
 public:
  // For how long a binding has waited to be written.
  using QueuedFor = std::function<std::chrono::steady_clock::duration()>;

  // All that is passed by reference must outlive the service; `in_flight` must
  // have been made for the store. Without `queued` filter is never held back,
  // without `rescuer` pods are not rescued, without `second_looks` nobody looks
  // again at pods that were refused, without `decisions` no answer of Filter is
  // kept there. Hypothetical ones never are.
  ExtenderService(ClusterStore& store, InFlightPods& in_flight,
                  const Freshness& freshness, Metrics& metrics,
                  const SchedulerProfiles& profiles,
                  const ExtenderOptions& options, QueuedFor queued = nullptr,
                  Rescuer* rescuer = nullptr,
                  SecondLooks* second_looks = nullptr,
                  DecisionRing* decisions = nullptr);
  ExtenderService(ClusterStore&, InFlightPods&, const Freshness&, Metrics&,
                  SchedulerProfiles&&, const ExtenderOptions&,
                  QueuedFor = nullptr, Rescuer* = nullptr,
                  SecondLooks* = nullptr, DecisionRing* = nullptr) = delete;

  // POST /filter, /prioritize and /preempt. 400 for a body that cannot be read,
  // 404 and 405 for what is none of them, 503 while the state is not fresh.
  // Blocks while the question waits for pods in flight, for the nomination of a
  // pod that is rescued, for bindings that queue, or for the watch to tell of a
  // pod that needs victims.
  HttpResponse Handle(const HttpRequest& request) const;

  // The answers themselves, which may wait as Handle does. Their names refer to
  // `args`. Errors: Unavailable while the state is not fresh, InvalidArgument
  // for a pod of no profile, or with too many rules (see CheckRules); of
  // Prioritize Internal with a plugin's message. In Filter's result the latter
  // two are `error`.
  absl::StatusOr<ExtenderFilterResult> Filter(const ExtenderArgs& args) const;
  absl::StatusOr<std::vector<HostPriority>> Prioritize(
      const ExtenderArgs& args) const;
  // The candidates that remain. Errors as of Filter, and Unavailable for a pod
  // that the API server has told of as bound, or not within `max_watch_lag`.
  absl::StatusOr<std::vector<NodeVictims>> Preempt(
      const ExtenderPreemptionArgs& args) const;

 private:
  // See CheckRules; counts those that are refused.
  absl::Status CheckSize(const Pod& pod) const;
  // The pod as the API server has told of it, which may wait as Preempt does.
  // Error: Unavailable, as of Preempt.
  absl::StatusOr<Pod> PendingPod(const ObjectMeta& meta) const;
  absl::StatusOr<std::vector<NodeVictims>> PreemptFor(
      const ExtenderPreemptionArgs& args) const;

  HttpResponse Route(const HttpRequest& request, std::string_view verb) const;

  // Filter, which says in `record` how it came to its answer.
  absl::StatusOr<ExtenderFilterResult> FilterFor(const ExtenderArgs& args,
                                                 DecisionRecord& record) const;
  // Fills in the node to take.
  void Decide(const SchedulerProfile& profile, const ClusterState& cluster,
              const PodInfo& pod, const Candidates& candidates,
              ExtenderFilterResult& result, DecisionRecord& record) const;
  std::size_t Choose(const std::vector<std::size_t>& best) const;
  // Waits while bindings queue. Error: Unavailable, if that takes too long.
  absl::Status HoldBack() const;

  ClusterStore& store_;
  InFlightPods& in_flight_;
  const Freshness& freshness_;
  Metrics& metrics_;
  const SchedulerProfiles& profiles_;
  const ExtenderOptions options_;
  const QueuedFor queued_;
  Rescuer* const rescuer_;
  SecondLooks* const second_looks_;
  DecisionRing* const decisions_;
  mutable RefusedPods refused_pods_;
  mutable Mutex random_mutex_;
  mutable std::mt19937_64 random_ ABSL_GUARDED_BY(random_mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_SERVICE_H_
