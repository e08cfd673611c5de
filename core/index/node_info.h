// A node, what is on it, and what that takes.
// Source: pkg/scheduler/framework/types.go (NodeInfo).
#ifndef VICINAL_CORE_INDEX_NODE_INFO_H_
#define VICINAL_CORE_INDEX_NODE_INFO_H_

#include <optional>
#include <string>
#include <vector>

#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/index/stored_pod.h"
#include "core/model/labels.h"
#include "core/model/node.h"
#include "core/model/pod_resources.h"
#include "core/model/resource.h"

namespace vicinal {

struct NodeInfo {
  NodeId id = kNoNode;  // Set while the node is there.
  std::string name;
  std::optional<Node> node;  // Absent: only heard of from its pods.
  std::vector<const StoredPod*> pods;
  // Pods that were nominated to run here, but are not bound (preemption,
  // rescue).
  std::vector<const PodInfo*> nominated_pods;
  Resource allocatable;   // status.allocatable
  PodResource requested;  // The sum over `pods`.

  const std::string& Name() const { return name; }
  const Labels& labels() const { return node->meta.labels; }
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_NODE_INFO_H_
