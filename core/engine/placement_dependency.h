// Whether the answer about one pod can depend on where another pod goes.
#ifndef VICINAL_CORE_ENGINE_PLACEMENT_DEPENDENCY_H_
#define VICINAL_CORE_ENGINE_PLACEMENT_DEPENDENCY_H_

#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/selector.h"

namespace vicinal {

// What one pod's question looks at in other pods. Refers to the cluster and the
// pod, and must outlive neither.
//
// It covers what InterPodAffinity and PodTopologySpread filter and score by,
// hard and soft, and may say yes where it does not matter in the end, never no
// where it does. Resources are not covered: who answers with several nodes
// leaves them to the scheduler, who knows what it has assumed.
class PlacementDependency {
 public:
  // Cost: O(terms), and O(services of the cluster) for a pod without topology
  // spread constraints of its own.
  PlacementDependency(const ClusterState& cluster, const PodInfo& pod);

  // Whether one of the pod's terms or constraints is about `other`, or a term
  // of `other` about the pod. Cost: O(terms of both × (labels + namespaces)).
  bool On(const PodInfo& other) const;

 private:
  const ClusterState& cluster_;
  const PodInfo& pod_;
  const Labels& namespace_labels_;
  std::vector<Selector> spread_;  // Of pods in the same namespace.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_PLACEMENT_DEPENDENCY_H_
