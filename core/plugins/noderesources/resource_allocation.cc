#include "core/plugins/noderesources/resource_allocation.h"

#include "core/model/go_int64.h"
#include "core/model/resource_name.h"
#include "core/plugins/noderesources/node_resources.h"

namespace vicinal {
namespace {

// Without `requested`.
Allocation Find(std::string_view name, const Resource& allocatable,
                const PodResource& used, bool use_requested) {
  const Resource& requested = used.resource;
  if (name == kResourceCpu) {
    return {0, use_requested ? requested.milli_cpu : used.non_zero_milli_cpu,
            allocatable.milli_cpu};
  }
  if (name == kResourceMemory) {
    return {0, use_requested ? requested.memory : used.non_zero_memory,
            allocatable.memory};
  }
  if (name == kResourceEphemeralStorage) {
    return {0, requested.ephemeral_storage, allocatable.ephemeral_storage};
  }
  return {0, requested.Scalar(name), allocatable.Scalar(name)};
}

}  // namespace

std::vector<ResourceRequest> RequestList(
    const ResourceList& requests, std::span<const ResourceSpec> resources) {
  std::vector<ResourceRequest> list;
  list.reserve(resources.size());
  for (const ResourceSpec& resource : resources) {
    ResourceRequest& request = list.emplace_back();
    request.name = resource.name;
    if (const auto it = requests.find(resource.name); it != requests.end()) {
      request.amount = resource.name == kResourceCpu ? it->second.MilliValue()
                                                     : it->second.Value();
    }
    request.bypassed =
        request.amount == 0 && IsScalarResourceName(resource.name);
  }
  return list;
}

std::vector<Allocation> AllocationsOn(const NodeInfo& node,
                                      std::span<const ResourceRequest> requests,
                                      bool use_requested) {
  const Resource& allocatable = node.allocatable;
  const PodResource& used = node.requested;
  std::vector<Allocation> allocations;
  allocations.reserve(requests.size());
  for (const ResourceRequest& request : requests) {
    Allocation& allocation = allocations.emplace_back();
    if (request.bypassed) continue;
    const Allocation found =
        Find(request.name, allocatable, used, use_requested);
    if (found.allocatable == 0) continue;
    allocation = found;
    allocation.requested = GoAdd(found.allocated, request.amount);
  }
  return allocations;
}

}  // namespace vicinal
