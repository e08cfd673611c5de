#include "core/index/placement_counts.h"

namespace vicinal {

std::int64_t PlacementCounts::Total() const {
  std::int64_t total = 0;
  by_node_.ForEach([&](NodeId, std::int32_t count) { total += count; });
  return total;
}

const DomainCounts& PlacementCounts::ByDomain(const TopologyDomains& domains,
                                              const NodeCounts* among) const {
  for (const auto& view : by_domain_) {
    if (view->domains == &domains && view->among == among) return view->counts;
  }
  View& view = *by_domain_.emplace_back(
      std::make_unique<View>(View{&domains, among, DomainCounts()}));
  by_node_.ForEach(
      [&](NodeId node, std::int32_t count) { view.Add(node, count); });
  return view.counts;
}

}  // namespace vicinal
