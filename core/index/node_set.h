// The nodes that meet given conditions, kept up to date by node events: those
// whose pods count for a topology spread constraint.
#ifndef VICINAL_CORE_INDEX_NODE_SET_H_
#define VICINAL_CORE_INDEX_NODE_SET_H_

#include <optional>
#include <string>
#include <vector>

#include "core/index/node_id.h"
#include "core/index/placement_counts.h"
#include "core/model/labels.h"
#include "core/model/node.h"
#include "core/model/node_selector.h"
#include "core/model/taint.h"

namespace vicinal {

// All conditions must hold.
struct NodeCondition {
  std::vector<std::string> topology_keys;  // Labels that the node must have.
  std::optional<Labels> node_selector;
  std::optional<NodeAffinity> node_affinity;  // Its required terms.
  // Set: no NoSchedule or NoExecute taint but those that these tolerate.
  std::optional<std::vector<Toleration>> tolerations;
  bool taint_comparisons = false;  // As KubernetesRelease's.

  // A text that two conditions share only if they mean the same.
  std::string Key() const;
};

// Thread safety: as PlacementCounts.
class NodeSet {
 public:
  explicit NodeSet(NodeCondition condition);

  // Tells of a node that appears or goes. A node that changes goes and appears.
  // Cost: O(condition).
  void Add(NodeId id, const Node& node);
  void Remove(NodeId id);

  bool Has(NodeId id) const { return members_.by_node().Get(id) != 0; }
  // 1 for each node of the set.
  const PlacementCounts& members() const { return members_; }
  PlacementCounts& members() { return members_; }

 private:
  const NodeCondition condition_;
  const RequiredNodeAffinity required_;
  PlacementCounts members_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NODE_SET_H_
