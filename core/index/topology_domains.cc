#include "core/index/topology_domains.h"

namespace vicinal {

void TopologyDomains::Set(NodeId node, const std::string* value) {
  if (node >= domain_of_.size()) {
    if (value == nullptr) return;
    domain_of_.resize(node + 1, kNoDomain);
  }
  const DomainId old = domain_of_[node];
  if (value == nullptr) {
    domain_of_[node] = kNoDomain;
    if (old != kNoDomain) Leave(old);
    return;
  }
  if (old != kNoDomain && values_[old] == *value) return;
  ++nodes_;
  const auto [it, is_new] = ids_.try_emplace(*value, 0);
  if (is_new) {
    if (free_ids_.empty()) {
      it->second = static_cast<DomainId>(node_counts_.size());
      node_counts_.push_back(0);
      values_.push_back(*value);
    } else {
      it->second = free_ids_.back();
      free_ids_.pop_back();
      values_[it->second] = *value;
    }
  }
  const DomainId domain = it->second;
  if (++node_counts_[domain] == 2) ++shared_domains_;
  domain_of_[node] = domain;
  if (old != kNoDomain) Leave(old);
}

void TopologyDomains::Leave(DomainId domain) {
  --nodes_;
  const std::uint32_t left = --node_counts_[domain];
  if (left == 1) --shared_domains_;
  if (left > 0) return;
  ids_.erase(values_[domain]);
  values_[domain].clear();
  free_ids_.push_back(domain);
}

}  // namespace vicinal
