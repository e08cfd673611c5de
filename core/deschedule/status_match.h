// Whether a pod is to be replaced for its age or its status.
//
// Source: sigs.k8s.io/descheduler pkg/framework/plugins/removefailedpods,
// removepodshavingtoomanyrestarts and podlifetime. Differs in that the age of a
// pod without creationTimestamp is not known, and not 292 years.
#ifndef VICINAL_CORE_DESCHEDULE_STATUS_MATCH_H_
#define VICINAL_CORE_DESCHEDULE_STATUS_MATCH_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/deschedule/pod_facts.h"
#include "core/deschedule/policy.h"
#include "core/model/object_meta.h"

namespace vicinal {

struct StatusMatch {
  std::string reason;     // Why it is to be replaced.
  std::int64_t rank = 0;  // Pods with a lesser one come first.
};

// `strategy` is one that IsAboutStatus; its namespaces and its labelSelector
// are not looked at. `now` in seconds since 1970. Absent: the pod is none of
// those that it looks for. Thread-safe. Cost: O(containers + conditions).
std::optional<StatusMatch> MatchStatus(const Strategy& strategy,
                                       const ObjectMeta& meta,
                                       const PodStatusFacts& status,
                                       std::int64_t now);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_STATUS_MATCH_H_
