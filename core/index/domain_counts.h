// How many of something there are in each domain of a topology key.
#ifndef VICINAL_CORE_INDEX_DOMAIN_COUNTS_H_
#define VICINAL_CORE_INDEX_DOMAIN_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/index/topology_domains.h"

namespace vicinal {

class DomainCounts {
 public:
  // Cost of both: O(1), amortized. kNoDomain stands for the nodes that lack
  // the key.
  void Add(DomainId domain, std::int64_t delta) {
    const std::size_t slot = SlotOf(domain);
    if (slot >= counts_.size()) counts_.resize(slot + 1, 0);
    counts_[slot] += delta;
  }
  std::int64_t Of(DomainId domain) const {
    const std::size_t slot = SlotOf(domain);
    return slot < counts_.size() ? counts_[slot] : 0;
  }

  // The ids of all domains with any, other than kNoDomain, are below this.
  DomainId id_limit() const {
    return counts_.empty() ? 0 : static_cast<DomainId>(counts_.size() - 1);
  }

 private:
  // kNoDomain is the largest number and so comes first.
  static std::size_t SlotOf(DomainId domain) {
    return static_cast<DomainId>(domain + 1);
  }

  std::vector<std::int64_t> counts_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_DOMAIN_COUNTS_H_
