// How evenly the pods that one topology spread constraint counts are spread.
#ifndef VICINAL_CORE_DESCHEDULE_SPREAD_TALLY_H_
#define VICINAL_CORE_DESCHEDULE_SPREAD_TALLY_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/deschedule/node_domains.h"
#include "core/index/topology_domains.h"
#include "core/plugins/podtopologyspread/constraint.h"

namespace vicinal {

// Keeps the counts by domain, and how many domains have which count.
class SpreadTally {
 public:
  // `hard`: DoNotSchedule. `domains`: of the nodes whose pods count.
  // `workload`: of a pod that has the constraint, see WorkloadName.
  SpreadTally(SpreadConstraint constraint, std::string namespace_name,
              std::string workload, bool hard,
              std::shared_ptr<const NodeDomains> domains)
      : constraint_(std::move(constraint)),
        namespace_name_(std::move(namespace_name)),
        workload_(std::move(workload)),
        hard_(hard),
        domains_(std::move(domains)),
        counts_(domains_->size(), 0) {
    if (!counts_.empty()) domains_with_[0] = std::ssize(counts_);
  }

  bool hard() const { return hard_; }
  const SpreadConstraint& constraint() const { return constraint_; }
  const std::string& namespace_name() const { return namespace_name_; }
  const std::string& workload() const { return workload_; }
  const NodeDomains& domains() const { return *domains_; }
  // The pods of each of them.
  const std::vector<std::int64_t>& counts() const { return counts_; }

  // Counts `delta` more pods on a node. Cost: O(log distinct counts).
  void Add(NodeId node, std::int64_t delta) {
    const DomainId domain = domains_->Of(node);
    if (domain == kNoDomain) return;
    std::int64_t& count = counts_[domain];
    const auto it = domains_with_.find(count);
    if (--it->second == 0) domains_with_.erase(it);
    count += delta;
    ++domains_with_[count];
  }

  // How many pods are too many, all domains together, if there was one more on
  // that node. Cost: O(distinct counts).
  std::int64_t ExcessWith(NodeId node) const {
    const DomainId domain = domains_->Of(node);
    if (domain == kNoDomain) return Excess();
    const std::int64_t count = counts_[domain];
    const std::int64_t allowed = AllowedWith(count);
    return Above(allowed) - std::max<std::int64_t>(0, count - allowed) +
           std::max<std::int64_t>(0, count + 1 - allowed);
  }

  std::int64_t Excess() const { return Above(Smallest() + max_skew()); }

  // Whether the node's domain has too many pods; respectively would have, with
  // one more on the node.
  bool IsTooMany(NodeId node) const {
    const DomainId domain = domains_->Of(node);
    return domain != kNoDomain && counts_[domain] > Smallest() + max_skew();
  }
  bool IsTooManyWith(NodeId node) const {
    const DomainId domain = domains_->Of(node);
    return domain != kNoDomain &&
           counts_[domain] + 1 > AllowedWith(counts_[domain]);
  }

  // The pods in the domain of a node, which must be in one.
  std::int64_t CountAt(NodeId node) const {
    return counts_[domains_->Of(node)];
  }
  // The fewest pods of a domain; 0 if there are fewer domains than minDomains.
  std::int64_t Smallest() const {
    if (domains_with_.empty() || HasTooFewDomains()) return 0;
    return domains_with_.begin()->first;
  }

 private:
  std::int64_t max_skew() const { return constraint_.max_skew; }
  bool HasTooFewDomains() const {
    return std::ssize(counts_) < constraint_.min_domains;
  }

  // How many pods a domain may have, if one that has `count` gets one more.
  std::int64_t AllowedWith(std::int64_t count) const {
    return max_skew() +
           (HasTooFewDomains() ? 0 : std::min(SmallestBut(count), count + 1));
  }

  // The smallest count of all domains but one that has `count`.
  std::int64_t SmallestBut(std::int64_t count) const {
    auto it = domains_with_.begin();
    if (it->first == count && it->second == 1) ++it;
    return it == domains_with_.end() ? count + 1 : it->first;
  }

  std::int64_t Above(std::int64_t allowed) const {
    std::int64_t excess = 0;
    for (auto it = domains_with_.upper_bound(allowed);
         it != domains_with_.end(); ++it) {
      excess += (it->first - allowed) * it->second;
    }
    return excess;
  }

  const SpreadConstraint constraint_;
  const std::string namespace_name_;
  const std::string workload_;
  const bool hard_;
  const std::shared_ptr<const NodeDomains> domains_;
  std::vector<std::int64_t> counts_;                   // By domain.
  std::map<std::int64_t, std::int64_t> domains_with_;  // By count.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_SPREAD_TALLY_H_
