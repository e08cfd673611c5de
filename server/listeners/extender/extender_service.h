// The scheduler extender: filter, prioritize, preempt and bind, over HTTP and
// for gRPC.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_SERVICE_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_SERVICE_H_

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
#include "server/kubernetes/pod_binder.h"
#include "server/listeners/extender/binding_args.h"
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
};

// Thread-safe.
class ExtenderService {
 public:
  // Writes a binding; called by several threads at a time.
  using BindFunction = std::function<BindResult(const PodBinding&)>;

  // All that is passed by reference must outlive the service; `in_flight` must
  // have been made for the store. Without `bind` there is no API server to
  // write to, and every binding is refused; without `rescuer` pods are not
  // rescued.
  ExtenderService(ClusterStore& store, InFlightPods& in_flight,
                  const Freshness& freshness, Metrics& metrics,
                  const SchedulerProfiles& profiles,
                  const ExtenderOptions& options, BindFunction bind,
                  Rescuer* rescuer = nullptr);
  ExtenderService(ClusterStore&, InFlightPods&, const Freshness&, Metrics&,
                  SchedulerProfiles&&, const ExtenderOptions&, BindFunction,
                  Rescuer* = nullptr) = delete;

  // POST /filter, /prioritize, /preempt and /bind. 400 for a body that cannot
  // be read, 404 and 405 for what is none of them, 503 for all but bind while
  // the state is not fresh. Blocks while the question waits for pods in flight,
  // or for the nomination of a pod that is rescued, and a binding for the API
  // server.
  HttpResponse Handle(const HttpRequest& request) const;

  // Whether Handle will wait for the API server.
  static bool Blocks(const HttpRequest& request);

  // The answers themselves, which may wait as Handle does. Their names refer to
  // `args`. Errors: Unavailable while the state is not fresh, InvalidArgument
  // for a pod of no profile; of Prioritize Internal with a plugin's message,
  // which in Filter's result is `error`.
  absl::StatusOr<ExtenderFilterResult> Filter(const ExtenderArgs& args) const;
  absl::StatusOr<std::vector<HostPriority>> Prioritize(
      const ExtenderArgs& args) const;
  // The candidates that remain. Errors as of Filter.
  absl::StatusOr<std::vector<NodeVictims>> Preempt(
      const ExtenderPreemptionArgs& args) const;
  // Why the pod is not bound, or not known to be; empty if it is bound.
  std::string Bind(const BindingArgs& args) const;

 private:
  HttpResponse Route(const HttpRequest& request, std::string_view verb) const;

  // Fills in which nodes fit, or the one to take.
  void Decide(const SchedulerProfile& profile, const ExtenderArgs& args,
              const PodInfo& pod, ExtenderFilterResult& result) const;
  void Advise(const SchedulerProfile& profile, const ExtenderArgs& args,
              const PodInfo& pod, ExtenderFilterResult& result) const;
  std::size_t Choose(const std::vector<std::size_t>& best) const;
  // Asks whether the pod may go to the node, for a binding that no answer on
  // record led to: vicinal has been restarted, or the deadline has passed.
  std::string ErrorOfQuestionFirst(const BindingArgs& args) const;

  ClusterStore& store_;
  InFlightPods& in_flight_;
  const Freshness& freshness_;
  Metrics& metrics_;
  const SchedulerProfiles& profiles_;
  const ExtenderOptions options_;
  const BindFunction bind_;
  Rescuer* const rescuer_;
  mutable RefusedPods refused_pods_;
  mutable Mutex random_mutex_;
  mutable std::mt19937_64 random_ ABSL_GUARDED_BY(random_mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_SERVICE_H_
