#include "server/state/pod_retries.h"

#include <algorithm>
#include <utility>

#include "core/engine/placement_dependency.h"
#include "core/engine/run_plugins.h"
#include "core/index/cluster_state.h"
#include "core/index/node_info.h"
#include "core/index/stored_pod.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {

PodRetries::PodRetries(const ClusterStore& store, Metrics& metrics,
                       ProfileOf profile_of, Retry retry,
                       std::size_t max_retries)
    : store_(store),
      metrics_(metrics),
      profile_of_(std::move(profile_of)),
      retry_(std::move(retry)),
      max_retries_(max_retries) {}

void PodRetries::OnPlacementEnded(
    const InFlightLedger::AssumedPod& ended,
    std::vector<std::shared_ptr<const PodInfo>> refused) const {
  std::ranges::stable_sort(refused, [](const auto& a, const auto& b) {
    return PodPriority(a->pod) > PodPriority(b->pod);
  });
  std::size_t retries = 0;
  for (const std::shared_ptr<const PodInfo>& pod : refused) {
    if (retries == max_retries_) break;
    if (!FitsNow(*pod, ended)) continue;
    ++retries;
    TryAgain(*pod);
  }
}

void PodRetries::TryAgain(const PodInfo& pod) const {
  metrics_.retries_requested().Increment();
  retry_(pod.pod.meta);
}

SecondLooks::Fit PodRetries::Fit(const PodInfo& pod) const {
  using Fit = SecondLooks::Fit;
  const Profile* profile = profile_of_(pod.pod);
  if (profile == nullptr) return Fit::kGone;
  return store_.Read([&](const ClusterState& cluster) {
    const StoredPod* known = cluster.FindPod(KeyOf(pod.pod.meta));
    // The watch may not have told of it yet.
    if (known == nullptr || known->uid() != pod.pod.meta.uid) return Fit::kNone;
    if (known->node() != nullptr) return Fit::kGone;
    const bool fits =
        !RunFilterPlugins(*profile, cluster, pod, AllNodes(cluster))
             .statuses.Passed()
             .empty();
    return fits ? Fit::kSome : Fit::kNone;
  });
}

bool PodRetries::FitsNow(const PodInfo& pod,
                         const InFlightLedger::AssumedPod& ended) const {
  const Profile* profile = profile_of_(pod.pod);
  if (profile == nullptr) return false;
  return store_.Read([&](const ClusterState& cluster) {
    const StoredPod* known = cluster.FindPod(KeyOf(pod.pod.meta));
    if (known == nullptr || known->uid() != pod.pod.meta.uid ||
        known->node() != nullptr) {
      return false;
    }
    const NodeInfo* const node = cluster.FindNode(ended.node);
    if (node != nullptr && FilterOneNode(*profile, cluster, pod, *node).ok()) {
      return true;
    }
    if (!PlacementDependency(cluster, pod).On(*ended.pod)) return false;
    return !RunFilterPlugins(*profile, cluster, pod, AllNodes(cluster))
                .statuses.Passed()
                .empty();
  });
}

}  // namespace vicinal
