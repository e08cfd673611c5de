// Applies what the API server tells about pods, without undoing what is in
// flight.
#ifndef VICINAL_SERVER_STATE_POD_EVENT_HANDLER_H_
#define VICINAL_SERVER_STATE_POD_EVENT_HANDLER_H_

#include <set>
#include <string>
#include <utility>

#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/in_flight_pods.h"
#include "server/state/resource_event_handler.h"

namespace vicinal {

class PodEventHandler : public ResourceEventHandler<Pod> {
 public:
  // All must outlive the sink; `in_flight` must have been made for the store.
  PodEventHandler(std::string resource, ClusterStore& store,
                  InFlightPods& in_flight, Freshness& freshness,
                  Metrics& metrics)
      : ResourceEventHandler(std::move(resource), store, freshness, metrics),
        in_flight_(in_flight) {}

 protected:
  void Upsert(Pod pod) override { in_flight_.Upsert(std::move(pod)); }
  void Remove(const ObjectKey& key, const std::string& uid) override {
    in_flight_.Remove(key, uid);
  }
  void KeepListed(const std::set<ObjectKey>& listed) override {
    in_flight_.KeepListed(listed);
  }

 private:
  InFlightPods& in_flight_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_POD_EVENT_HANDLER_H_
