// The fewest changes that would let a pod in, where they are obvious.
#ifndef VICINAL_CORE_EXPLAIN_HINTS_H_
#define VICINAL_CORE_EXPLAIN_HINTS_H_

#include <string_view>
#include <vector>

#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

// `explanation` is that of the pod, which fits nowhere, with its groups. What
// makes a rule hopeless everywhere comes first (a key that no node has, a
// selector that no pod matches), then what keeps single nodes closed.
// `path_prefix` is that of the explanation's rules. Cost:
// O(nodes + pods × hopeless rules).
std::vector<Hint> FindHints(const ClusterState& cluster, const PodInfo& pod,
                            const Explanation& explanation,
                            std::string_view path_prefix);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_HINTS_H_
