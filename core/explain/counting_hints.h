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

// Of a rule that the pod has against its like and that refuses it: how many of
// them it allows, `3 nodes, each already has one: at most 3 replicas`. Empty
// for other groups. For a pod that fits nowhere. Cost: O(nodes).
std::string AtMost(const ClusterState& cluster, const PodInfo& pod,
                   const Explanation& explanation, const CauseGroup& group,
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
