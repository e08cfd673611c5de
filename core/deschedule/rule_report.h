// Which rules the running pods of a cluster break now, and how they are spread.
#ifndef VICINAL_CORE_DESCHEDULE_RULE_REPORT_H_
#define VICINAL_CORE_DESCHEDULE_RULE_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/deschedule/policy.h"
#include "core/index/cluster_state.h"

namespace vicinal {

// One distinct topology spread constraint.
struct SpreadNow {
  struct Domain {
    std::string value;
    std::int64_t pods = 0;
  };

  std::string workload;  // Of one that has it, see WorkloadName.
  std::string namespace_name;
  std::string topology_key;
  std::string selector;  // As kubectl's -l.
  bool hard = true;      // DoNotSchedule
  std::int64_t max_skew = 1;
  std::size_t domain_count = 0;  // That count for it.
  // The pods of the fullest of them less those of the emptiest.
  std::int64_t skew = 0;
  // The fewest pods of a domain; 0 if there are fewer than minDomains. A domain
  // with more pods than this and max_skew breaks the constraint.
  std::int64_t minimum = 0;
  // How many pods are too many, all domains together.
  std::int64_t excess = 0;
  // By value; of more than kMostListedDomains the fullest.
  std::vector<Domain> domains;

  static constexpr std::size_t kMostListedDomains = 32;
};

// How many pods of a workload are part of what breaks a hard rule: for
// anti-affinity those that have it, and those that it is about.
struct BrokenRule {
  std::string workload;
  StrategyKind kind = StrategyKind::kNodeTaints;  // That would mend it.
  std::int64_t pods = 0;
};

// All topology spread constraints of a namespace over a topology key.
struct SpreadGroup {
  std::string namespace_name;
  std::string topology_key;
  std::int64_t skew = 0;  // The largest.
  // How many pods are too many, of those that must hold.
  std::int64_t excess = 0;
};

// The pods of a namespace that are part of what breaks a hard rule, as
// BrokenRule has them.
struct BrokenGroup {
  std::string namespace_name;
  StrategyKind kind = StrategyKind::kNodeTaints;
  std::int64_t pods = 0;
};

// However many namespaces and topology keys there are, so many groups of both
// kinds are told; what the others have is in one more, with empty names: the
// largest skew, and the sum of all pods.
inline constexpr std::size_t kMostRuleGroups = 100;

struct RuleReport {
  // The worst: hard ones that are broken, then others that are, then by skew.
  std::vector<SpreadNow> spreads;
  std::size_t spread_count = 0;         // Also those that are left out.
  std::size_t broken_spread_count = 0;  // Of these, hard ones that are broken.
  std::vector<BrokenRule> broken;       // Most pods first.
  // The worst first, then by name; what is left out, last. kMostRuleGroups + 1
  // at most.
  std::vector<SpreadGroup> spread_groups;
  std::size_t spread_group_count = 0;  // Also those that are left out.
  // Those with most pods first; of what is left out one for each kind, last.
  std::vector<BrokenGroup> broken_groups;
  std::size_t broken_group_count = 0;
};

// With so many spreads at most. Of constraints only those that pods have, not
// the scheduler's defaults. Cost: that of RuleTallies and of ScanViolations,
// and O(constraints × domains).
RuleReport ReportRules(const ClusterState& cluster, std::size_t most_spreads);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_RULE_REPORT_H_
