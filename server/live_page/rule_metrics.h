// The skew and the broken rules of running pods, as metrics.
#ifndef VICINAL_SERVER_LIVE_PAGE_RULE_METRICS_H_
#define VICINAL_SERVER_LIVE_PAGE_RULE_METRICS_H_

#include <string>

#include "core/deschedule/rule_report.h"

namespace vicinal {

// In Prometheus' text format: 2 × (kMostRuleGroups + 1) series about topology
// spread and kMostRuleGroups + 4 about the other rules at most, whatever is in
// the cluster. What has no series of its own is in those with empty labels,
// which are always there. Cost: O(its size).
std::string RenderRuleMetrics(const RuleReport& report);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LIVE_PAGE_RULE_METRICS_H_
