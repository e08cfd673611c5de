#include "core/index/node_set.h"

#include <algorithm>
#include <utility>

#include "core/index/canonical_key.h"

namespace vicinal {

std::string NodeCondition::Key() const {
  std::string key;
  std::vector<std::string> keys = topology_keys;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  AppendKey(keys, key);
  AppendKey(node_selector.has_value(), key);
  if (node_selector) AppendKey(*node_selector, key);
  const bool is_required = node_affinity && node_affinity->required;
  AppendKey(is_required, key);
  if (is_required) AppendKey(*node_affinity->required, key);
  AppendKey(tolerations.has_value(), key);
  if (tolerations) AppendKey(*tolerations, key);
  AppendKey(taint_comparisons, key);
  return key;
}

NodeSet::NodeSet(NodeCondition condition)
    : condition_(std::move(condition)),
      required_(condition_.node_selector, condition_.node_affinity) {}

void NodeSet::Add(NodeId id, const Node& node) {
  const bool has_keys = std::all_of(
      condition_.topology_keys.begin(), condition_.topology_keys.end(),
      [&node](const std::string& key) { return node.meta.labels.Has(key); });
  if (!has_keys || !required_.Matches(node.meta.labels, node.meta.name)) return;
  if (condition_.tolerations && FindUntoleratedDoNotScheduleTaint(
                                    node.taints, *condition_.tolerations,
                                    condition_.taint_comparisons) != nullptr) {
    return;
  }
  members_.Add(id, 1);
}

void NodeSet::Remove(NodeId id) {
  if (Has(id)) members_.Add(id, -1);
}

}  // namespace vicinal
