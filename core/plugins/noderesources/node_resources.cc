#include "core/plugins/noderesources/node_resources.h"

namespace vicinal {

PodResource RequestedOn(const NodeInfo& node,
                        std::span<const PodInfo* const> added) {
  PodResource sum = node.requested;
  for (const PodInfo* pod : added) sum.Add(pod->resource);
  return sum;
}

}  // namespace vicinal
