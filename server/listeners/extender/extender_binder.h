// The extender's bind, over HTTP and for gRPC: what is written where, and when
// not.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_BINDER_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_BINDER_H_

#include <chrono>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod.h"
#include "server/kubernetes/pod_binding.h"
#include "server/listeners/extender/binding_args.h"
#include "server/listeners/http/http_server.h"
#include "server/metrics/metrics.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/in_flight_pods.h"

namespace vicinal {

// Writes a binding. Does not block; calls `done` from any thread, once it is
// known what has become of the binding.
using BindingWriter = std::function<void(const PodBinding&, BindCaller,
                                         std::function<void(BindResult)> done)>;

// Asks the API server about a pod. Does not block; calls `done` from any
// thread.
using PodAsker = std::function<void(
    const ObjectKey&, std::function<void(absl::StatusOr<Pod>)> done)>;

// Thread-safe.
class ExtenderBinder {
 public:
  // All that is passed by reference must outlive the binder; `in_flight` must
  // have been made for the store. Without `write` there is no API server to
  // write to. `ask` is asked about pods that are to be bound before the watch
  // has told of them; null: these are bound as they were asked about. `timeout`
  // is how long the scheduler waits for a binding: the
  // httpTimeout of the extender entry that has the bindVerb.
  ExtenderBinder(ClusterStore& store, InFlightPods& in_flight,
                 const Freshness& freshness, Metrics& metrics,
                 const SchedulerProfiles& profiles, BindingWriter write,
                 std::chrono::milliseconds timeout, PodAsker ask = nullptr);

  // POST /bind, answered when the API server has answered; false for all other
  // requests. An AsyncHttpHandler.
  bool Handle(const HttpRequest& request, const HttpCaller& caller,
              const HttpAnswer& answer) const;

  // Calls `done` with why the pod is not bound, or not known to be; empty if it
  // is bound. Does not block; `done` may be called before it returns. Nothing
  // is written once the caller is gone, or has waited for longer than the
  // timeout since it has `asked`.
  void Bind(const BindingArgs& args,
            std::chrono::steady_clock::time_point asked,
            std::function<bool()> is_gone,
            std::function<void(std::string)> done) const;

 private:
  using Clock = std::chrono::steady_clock;

  // What Bind does once it is known whether the binding may begin.
  void Finish(const BindingArgs& args, const InFlightPods::BindStart& start,
              Clock::time_point asked, std::function<bool()> is_gone,
              std::function<void(std::string)> done) const;

  // Begins the binding if the latest answer about the pod, as the API server
  // has it, allows it, or all filters do where there is no such answer on
  // record.
  InFlightPods::BindStart StartBinding(const BindingArgs& args) const;
  // Whether the pod's requests fit beside the pods that the node has.
  absl::Status CheckRoom(const ClusterState& cluster, const PodInfo& pod,
                         const std::string& node) const;
  // Assumes the pod on the node if all filters that vicinal has let it go
  // there: for a binding with no answer on record, because vicinal has been
  // restarted or the deadline has passed.
  absl::Status AssumeIfItFits(const BindingArgs& args) const;

  ClusterStore& store_;
  InFlightPods& in_flight_;
  const Freshness& freshness_;
  Metrics& metrics_;
  const SchedulerProfiles& profiles_;
  const BindingWriter write_;
  const std::chrono::milliseconds timeout_;
  const PodAsker ask_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_BINDER_H_
