// The domains of one topology key: which nodes have the same value of a label.
#ifndef VICINAL_CORE_INDEX_TOPOLOGY_DOMAINS_H_
#define VICINAL_CORE_INDEX_TOPOLOGY_DOMAINS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/index/node_id.h"

namespace vicinal {

// Dense numbers for the values of one topology key.
using DomainId = std::uint32_t;

// The domain of a node that lacks the key.
inline constexpr DomainId kNoDomain = static_cast<DomainId>(-1);

class TopologyDomains {
 public:
  // Cost: O(1).
  DomainId Of(NodeId node) const {
    return node < domain_of_.size() ? domain_of_[node] : kNoDomain;
  }

  // The domain of a value, if any node has it. Cost: O(value).
  DomainId Find(const std::string& value) const {
    const auto it = ids_.find(value);
    return it == ids_.end() ? kNoDomain : it->second;
  }

  // All ids are below this: the size for arrays by domain.
  std::size_t id_limit() const { return node_counts_.size(); }
  // The number of domains that have a node.
  std::size_t size() const { return ids_.size(); }

  // The number of nodes that have the key.
  std::size_t nodes() const { return nodes_; }

  // Whether no domain has two nodes, as with kubernetes.io/hostname.
  bool is_per_node() const { return shared_domains_ == 0; }

  // Tells the node's value, null if it lacks the key or is gone.
  // Cost: O(value).
  void Set(NodeId node, const std::string* value);

 private:
  void Leave(DomainId domain);

  std::vector<DomainId> domain_of_;  // By node.
  absl::flat_hash_map<std::string, DomainId> ids_;
  std::vector<std::string> values_;         // By domain.
  std::vector<std::uint32_t> node_counts_;  // By domain.
  std::vector<DomainId> free_ids_;
  std::size_t nodes_ = 0;
  std::size_t shared_domains_ = 0;  // With two nodes or more.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_TOPOLOGY_DOMAINS_H_
