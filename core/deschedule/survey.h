// Looks through a cluster for pods that may break a rule.
#ifndef VICINAL_CORE_DESCHEDULE_SURVEY_H_
#define VICINAL_CORE_DESCHEDULE_SURVEY_H_

#include <array>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/deschedule/cluster_cost.h"
#include "core/deschedule/policy.h"
#include "core/deschedule/rules.h"
#include "core/index/cluster_state.h"
#include "core/index/stored_pod.h"

namespace vicinal {

struct Survey {
  // What the places of all pods cost.
  ClusterCost cost;
  // By StrategyKind: the pods that may be what the strategy looks for, and some
  // that are not. Without terminating pods. Good until the cluster changes.
  std::array<absl::flat_hash_set<const StoredPod*>, kStrategyNames.size()>
      suspects;
};

// `rules` must have the books of this cluster. Cost: O(pods + pods of rules ×
// terms + for each broken rule the pods on the nodes where it is broken).
Survey TakeSurvey(const ClusterState& cluster, const Rules& rules);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_SURVEY_H_
