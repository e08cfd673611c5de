#include "core/deschedule/rule_report.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/deschedule/rule_tallies.h"
#include "core/deschedule/spread_tally.h"
#include "core/deschedule/violation_scan.h"
#include "core/explain/describe.h"
#include "core/index/workload_name.h"
#include "core/model/natural_order.h"

namespace vicinal {
namespace {

// What is needed to choose among the constraints.
struct Weighed {
  const SpreadTally* tally = nullptr;
  std::int64_t excess = 0;
  std::int64_t skew = 0;
};

Weighed Weigh(const SpreadTally& tally) {
  Weighed weighed{&tally, tally.Excess(), 0};
  if (!tally.counts().empty()) {
    const auto [least, most] = std::ranges::minmax(tally.counts());
    weighed.skew = most - least;
  }
  return weighed;
}

// By value, of too many the fullest.
std::vector<SpreadNow::Domain> DomainsOf(const SpreadTally& tally) {
  std::vector<SpreadNow::Domain> domains;
  const std::vector<std::int64_t>& counts = tally.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    domains.push_back({tally.domains().values()[i], counts[i]});
  }
  if (domains.size() > SpreadNow::kMostListedDomains) {
    const auto end = domains.begin() + SpreadNow::kMostListedDomains;
    std::ranges::partial_sort(domains, end, {},
                              [](const SpreadNow::Domain& domain) {
                                return std::pair(-domain.pods, domain.value);
                              });
    domains.erase(end, domains.end());
  }
  std::ranges::sort(domains, NaturalLess, &SpreadNow::Domain::value);
  return domains;
}

SpreadNow Described(const Weighed& weighed) {
  const SpreadTally& tally = *weighed.tally;
  SpreadNow spread;
  spread.workload = tally.workload();
  spread.namespace_name = tally.namespace_name();
  spread.topology_key = tally.constraint().topology_key;
  spread.selector = Describe(tally.constraint().selector);
  spread.hard = tally.hard();
  spread.max_skew = tally.constraint().max_skew;
  spread.domain_count = tally.counts().size();
  spread.skew = weighed.skew;
  spread.minimum = tally.Smallest();
  spread.excess = weighed.excess;
  spread.domains = DomainsOf(tally);
  return spread;
}

void AddSpreadGroups(const std::vector<Weighed>& spreads, RuleReport& report) {
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>,
                      SpreadGroup>
      groups;
  for (const Weighed& spread : spreads) {
    const SpreadTally& tally = *spread.tally;
    SpreadGroup& group =
        groups[{tally.namespace_name(), tally.constraint().topology_key}];
    group.skew = std::max(group.skew, spread.skew);
    if (tally.hard()) group.excess += spread.excess;
  }
  report.spread_group_count = groups.size();
  for (auto& [names, group] : groups) {
    group.namespace_name = names.first;
    group.topology_key = names.second;
    report.spread_groups.push_back(std::move(group));
  }
  std::ranges::sort(report.spread_groups, {}, [](const SpreadGroup& group) {
    return std::tuple(-group.excess, -group.skew,
                      std::string_view(group.namespace_name),
                      std::string_view(group.topology_key));
  });
  SpreadGroup others;
  while (report.spread_groups.size() > kMostRuleGroups) {
    const SpreadGroup& last = report.spread_groups.back();
    others.skew = std::max(others.skew, last.skew);
    others.excess += last.excess;
    report.spread_groups.pop_back();
  }
  if (report.spread_group_count > kMostRuleGroups) {
    report.spread_groups.push_back(std::move(others));
  }
}

void AddBrokenGroups(const std::map<std::pair<std::string_view, StrategyKind>,
                                    std::int64_t>& pods,
                     RuleReport& report) {
  report.broken_group_count = pods.size();
  for (const auto& [name, count] : pods) {
    report.broken_groups.push_back(
        {std::string(name.first), name.second, count});
  }
  std::ranges::stable_sort(report.broken_groups, std::greater<>(),
                           &BrokenGroup::pods);
  std::map<StrategyKind, std::int64_t> others;
  while (report.broken_groups.size() > kMostRuleGroups) {
    const BrokenGroup& last = report.broken_groups.back();
    others[last.kind] += last.pods;
    report.broken_groups.pop_back();
  }
  for (const auto& [kind, count] : others) {
    report.broken_groups.push_back({"", kind, count});
  }
}

void AddBroken(const ClusterState& cluster, const ViolationScan& scan,
               RuleReport& report) {
  std::map<std::pair<std::string_view, StrategyKind>, std::int64_t>
      by_namespace;
  for (const StrategyKind kind :
       {StrategyKind::kNodeTaints, StrategyKind::kNodeAffinity,
        StrategyKind::kRequiredPodAffinity,
        StrategyKind::kInterPodAntiAffinity}) {
    std::map<std::string, std::int64_t> pods;  // By workload.
    for (const StoredPod* pod :
         scan.candidates[static_cast<std::size_t>(kind)]) {
      ++pods[WorkloadName(cluster, *pod)];
      ++by_namespace[{pod->namespace_name(), kind}];
    }
    for (const auto& [workload, count] : pods) {
      report.broken.push_back({workload, kind, count});
    }
  }
  std::ranges::stable_sort(report.broken, std::greater<>(), &BrokenRule::pods);
  AddBrokenGroups(by_namespace, report);
}

}  // namespace

RuleReport ReportRules(const ClusterState& cluster, std::size_t most_spreads) {
  // Without preferences: all candidates of the scan break a rule.
  RuleScope scope;
  scope.schedule_anyway = true;
  const RuleTallies rules(cluster, scope);
  std::vector<Weighed> spreads;
  RuleReport report;
  for (const auto& tally : rules.spreads()) {
    spreads.push_back(Weigh(*tally));
    if (tally->hard() && spreads.back().excess > 0) {
      ++report.broken_spread_count;
    }
  }
  report.spread_count = spreads.size();
  AddSpreadGroups(spreads, report);
  std::ranges::sort(spreads, std::greater<>(), [](const Weighed& spread) {
    return std::tuple(
        spread.excess > 0, spread.tally->hard(), spread.skew, spread.excess,
        std::string_view(spread.tally->workload()),
        std::string_view(spread.tally->constraint().topology_key));
  });
  if (spreads.size() > most_spreads) spreads.resize(most_spreads);
  for (const Weighed& spread : spreads) {
    report.spreads.push_back(Described(spread));
  }
  AddBroken(cluster, ScanViolations(cluster, rules), report);
  return report;
}

}  // namespace vicinal
