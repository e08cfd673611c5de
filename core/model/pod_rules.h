// What it costs to ask about a pod.
#ifndef VICINAL_CORE_MODEL_POD_RULES_H_
#define VICINAL_CORE_MODEL_POD_RULES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/model/pod.h"

namespace vicinal {

// The cost of a pod's affinity terms and spread constraints, in units of about
// what one value of a selector costs: a term or constraint is 10, with a
// namespaceSelector 40 more; each requirement, value and namespace is 1. If
// nothing in a term's labelSelector names a value, all pods of its namespaces
// are looked at: then each of them is 10, and a namespaceSelector 360 more. An
// API server takes pods of tens of thousands. Cost: O(terms and constraints).
std::int64_t RuleCost(const Pod& pod);

// More than this is not answered for.
inline constexpr std::int64_t kMaxRuleCost = 4000;

// InvalidArgument, with the cost, for a pod of more than kMaxRuleCost.
absl::Status CheckRules(const Pod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_POD_RULES_H_
