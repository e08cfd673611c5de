// Hints that count: how many replicas a rule allows, how large the largest node
// is, which domains nobody may use.
#ifndef VICINAL_CORE_EXPLAIN_COUNTING_HINTS_H_
#define VICINAL_CORE_EXPLAIN_COUNTING_HINTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

// As FindHints, whose part they are. Cost: O(nodes × rules of the pod).
std::vector<Hint> FindCountingHints(const ClusterState& cluster,
                                    const PodInfo& pod,
                                    const Explanation& explanation,
                                    std::string_view path_prefix);

// What is probably not meant, whether the pod fits or not: topology keys that
// no node has, spread constraints that do not count the pod itself.
// Cost: O(nodes × keys).
std::vector<std::string> FindMistakes(const ClusterState& cluster,
                                      const PodInfo& pod,
                                      const Explanation& explanation,
                                      std::string_view path_prefix);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_COUNTING_HINTS_H_
