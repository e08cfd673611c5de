#include "core/plugins/noderesources/node_resources.h"

#include "core/model/go_int64.h"

namespace vicinal {

Resource AllocatableOf(const NodeInfo& node) {
  Resource allocatable;
  allocatable.Add(node.node->allocatable);
  return allocatable;
}

PodResource RequestedOn(const NodeInfo& node,
                        std::span<const PodInfo* const> added) {
  PodResource sum;
  const auto add = [&sum](const PodResource& pod) {
    sum.resource.Add(pod.resource);
    sum.non_zero_milli_cpu =
        GoAdd(sum.non_zero_milli_cpu, pod.non_zero_milli_cpu);
    sum.non_zero_memory = GoAdd(sum.non_zero_memory, pod.non_zero_memory);
  };
  for (const PodInfo* pod : node.pods) add(pod->resource);
  for (const PodInfo* pod : added) add(pod->resource);
  return sum;
}

}  // namespace vicinal
