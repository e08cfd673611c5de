// The domains of a topology key, for as long as the nodes do not change.
#ifndef VICINAL_CORE_DESCHEDULE_NODE_DOMAINS_H_
#define VICINAL_CORE_DESCHEDULE_NODE_DOMAINS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/index/topology_domains.h"

namespace vicinal {

// Immutable. Cost of making it: O(nodes).
class NodeDomains {
 public:
  // Only nodes of which `among(const NodeInfo&)` is true are in a domain.
  template <typename Among>
  NodeDomains(const ClusterState& cluster, const std::string& topology_key,
              Among&& among) {
    for (const NodeInfo* node : cluster.Nodes()) {
      const std::string* value = node->labels().Find(topology_key);
      if (value == nullptr || !among(*node)) continue;
      const auto [it, is_new] =
          ids_.try_emplace(*value, static_cast<DomainId>(values_.size()));
      if (is_new) values_.push_back(*value);
      if (node->id >= of_node_.size()) of_node_.resize(node->id + 1, kNoDomain);
      of_node_[node->id] = it->second;
    }
  }

  // kNoDomain for a node that is in none.
  DomainId Of(NodeId node) const {
    return node < of_node_.size() ? of_node_[node] : kNoDomain;
  }
  // Of the key, by domain.
  const std::vector<std::string>& values() const { return values_; }
  // Ids are below this.
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<DomainId> of_node_;
  absl::flat_hash_map<std::string, DomainId> ids_;
  std::vector<std::string> values_;  // By domain.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_NODE_DOMAINS_H_
