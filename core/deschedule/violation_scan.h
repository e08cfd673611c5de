// Looks through a cluster for pods that may break a rule.
#ifndef VICINAL_CORE_DESCHEDULE_VIOLATION_SCAN_H_
#define VICINAL_CORE_DESCHEDULE_VIOLATION_SCAN_H_

#include <array>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/deschedule/cluster_cost.h"
#include "core/deschedule/policy.h"
#include "core/deschedule/rule_tallies.h"
#include "core/index/cluster_state.h"
#include "core/index/stored_pod.h"

namespace vicinal {

struct ViolationScan {
  // What the places of all pods cost.
  ClusterCost cost;
  // By StrategyKind: the pods that may be what the strategy looks for, and some
  // that are not. Without terminating pods. Good until the cluster changes.
  std::array<absl::flat_hash_set<const StoredPod*>, kStrategyNames.size()>
      candidates;
};

// `rules` must have the tallies of this cluster. Cost: O(pods + pods of rules ×
// terms + for each broken rule the pods on the nodes where it is broken).
ViolationScan ScanViolations(const ClusterState& cluster,
                             const RuleTallies& rules);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_VIOLATION_SCAN_H_
