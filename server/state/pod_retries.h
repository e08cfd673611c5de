// Has the scheduler try refused pods again when no event does.
//
// A pod that fits nowhere waits in the scheduler for an event. If a placement
// that vicinal counted was not real, no event comes: the scheduler did not know
// of the placement, or has forgotten it already. vicinal then writes an
// annotation of the refused pods that fit now, which is an event for them and
// changes nothing else. It does the same for pods that SecondLooks finds.
#ifndef VICINAL_SERVER_STATE_POD_RETRIES_H_
#define VICINAL_SERVER_STATE_POD_RETRIES_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "core/engine/in_flight_ledger.h"
#include "core/engine/profile.h"
#include "core/index/pod_info.h"
#include "core/model/object_meta.h"
#include "core/model/pod.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/second_looks.h"

namespace vicinal {

// Thread-safe.
class PodRetries {
 public:
  // Writes the annotation; must not block.
  using Retry = std::function<void(const ObjectMeta& pod)>;
  // The profile of a pod with all filters that there are, or null.
  using ProfileOf = std::function<const Profile*(const Pod& pod)>;

  // The store and the metrics must outlive it. `max_retries`: the pods that are
  // tried again for one placement, the most important first.
  PodRetries(const ClusterStore& store, Metrics& metrics, ProfileOf profile_of,
             Retry retry, std::size_t max_retries = 100);

  // An InFlightPods::OnPlacementEnded. Cost: for each refused pod the filters
  // on one node; for those that the ended one matters to on all nodes, until
  // enough are found.
  void OnPlacementEnded(
      const InFlightLedger::AssumedPod& ended,
      std::vector<std::shared_ptr<const PodInfo>> refused) const;

  // For SecondLooks: whether any node would take the pod now, by all filters
  // that there are. Cost: that of the filters on all nodes.
  SecondLooks::Fit Fit(const PodInfo& pod) const;
  // Has the scheduler try it again.
  void TryAgain(const PodInfo& pod) const;

 private:
  // Whether the pod is pending and the end of the other makes it fit.
  bool FitsNow(const PodInfo& pod,
               const InFlightLedger::AssumedPod& ended) const;

  const ClusterStore& store_;
  Metrics& metrics_;
  const ProfileOf profile_of_;
  const Retry retry_;
  const std::size_t max_retries_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_POD_RETRIES_H_
