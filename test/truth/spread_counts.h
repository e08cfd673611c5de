// What the naive PodTopologySpread counts.
#ifndef VICINAL_TEST_TRUTH_SPREAD_COUNTS_H_
#define VICINAL_TEST_TRUTH_SPREAD_COUNTS_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/plugins/podtopologyspread/constraint.h"

namespace vicinal::truth {

// Whether the node has the topology keys of all constraints.
inline bool HasAllKeys(const Labels& node_labels,
                       const std::vector<SpreadConstraint>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const SpreadConstraint& constraint) {
                       return node_labels.Has(constraint.topology_key);
                     });
}

// Whether the pods on `node` count, by the inclusion policies.
inline bool Includes(const SpreadConstraint& constraint, const Pod& incoming,
                     const RequiredNodeAffinity& required, const Node& node) {
  if (constraint.honor_node_affinity &&
      !required.Matches(node.meta.labels, node.meta.name)) {
    return false;
  }
  return !constraint.honor_node_taints ||
         FindUntoleratedDoNotScheduleTaint(
             node.taints, incoming.spec.tolerations, false) == nullptr;
}

// How many pods of the node are in the namespace, selected, and not
// terminating. A selector that selects everything counts nothing.
inline std::int64_t CountMatchingPods(const NodeInfo& node,
                                      const Selector& selector,
                                      std::string_view namespace_name) {
  if (selector.Empty()) return 0;
  return std::count_if(node.pods.begin(), node.pods.end(),
                       [&](const StoredPod* stored) {
                         const Pod pod = stored->ToPod();
                         return !IsTerminating(pod) &&
                                pod.meta.namespace_name == namespace_name &&
                                selector.Matches(pod.meta.labels);
                       });
}

}  // namespace vicinal::truth

#endif  // VICINAL_TEST_TRUTH_SPREAD_COUNTS_H_
