// How the pods of workloads lie over topology domains, before a simulation and
// after it.
#ifndef VICINAL_CORE_SIMULATE_SPREAD_REPORT_H_
#define VICINAL_CORE_SIMULATE_SPREAD_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/simulate/simulated_cluster.h"

namespace vicinal {

enum class When { kBefore, kAfter };

struct DomainReport {
  std::int64_t before = 0;  // Pods of the workload.
  std::int64_t after = 0;
  // Whether the domain counted, and counts, for the skew: it has nodes that the
  // workload's nodeSelector and node affinity allow, or with a rule nodes that
  // its nodeAffinityPolicy and nodeTaintsPolicy include.
  bool was_there = false;
  bool is_there = false;

  std::int64_t Pods(When when) const {
    return when == When::kBefore ? before : after;
  }
  bool Counts(When when) const {
    return when == When::kBefore ? was_there : is_there;
  }
};

// A topology spread constraint of a workload.
struct SpreadRule {
  std::string path;   // In the manifest.
  bool hard = false;  // DoNotSchedule
  std::int64_t max_skew = 1;
  std::int64_t min_domains = 1;
};

// More domains than these are listed only if they have pods.
inline constexpr std::size_t kMostListedDomains = 32;

// How the running pods of a workload lie over the domains of a topology key.
struct SpreadReport {
  std::string workload;
  std::string namespace_name;
  std::string topology_key;
  std::map<std::string, DomainReport> domains;
  // Domains that count and are not listed: they have no pods, neither before
  // nor after.
  std::int64_t empty_before = 0;
  std::int64_t empty_after = 0;
  // The most pods in a domain that counts less the fewest.
  std::int64_t skew_before = 0;
  std::int64_t skew_after = 0;
  // The workload's constraint by this key, if it has one; of several the first
  // hard one.
  std::optional<SpreadRule> rule;
  // With a rule: the fewest pods in a domain; 0 if there are fewer domains than
  // its min_domains. A domain with more pods than this and max_skew breaks it.
  std::int64_t minimum_before = 0;
  std::int64_t minimum_after = 0;
};

// How many domains that count there were, or are.
std::int64_t DomainCount(const SpreadReport& spread, When when);

// How many such domains have how many pods: `2 with 0, 1 with 3`.
std::string Histogram(const SpreadReport& spread, When when);

// The workloads whose pods have changed, by each topology key of their rules,
// by host and by zone. Cost: O(pods + keys × nodes), and O(nodes) for each
// workload that chooses its nodes.
std::vector<SpreadReport> ReportSpreads(const SimulatedCluster& simulated);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SPREAD_REPORT_H_
