#include "core/model/pod_resources.h"

#include <algorithm>
#include <string_view>

#include "core/model/go_int64.h"
#include "core/model/resource_name.h"

namespace vicinal {
namespace {

constexpr std::int64_t kDefaultMilliCpuRequest = 100;
constexpr std::int64_t kDefaultMemoryRequest = 200 * 1024 * 1024;

// addResourceList.
void Add(const ResourceList& more, ResourceList& list) {
  for (const auto& [name, quantity] : more) {
    const auto [it, added] = list.try_emplace(name, quantity);
    if (!added) it->second += quantity;
  }
}

// maxResourceList.
void SetMax(const ResourceList& other, ResourceList& list) {
  for (const auto& [name, quantity] : other) {
    const auto [it, added] = list.try_emplace(name, quantity);
    if (!added && quantity > it->second) it->second = quantity;
  }
}

const ContainerStatus* FindContainerStatus(const Pod& pod,
                                           std::string_view name) {
  const auto it = std::find_if(
      pod.status.container_statuses.begin(),
      pod.status.container_statuses.end(),
      [name](const ContainerStatus& status) { return status.name == name; });
  return it == pod.status.container_statuses.end() ? nullptr : &*it;
}

// Which of a container's requests: those it asks for, those the kubelet has
// promised, those that are in effect, and up to 1.36 the largest of these.
enum class Source { kSpec, kAllocated, kActuated, kLargest };

// determineEffectiveRequests. Of several statuses of one name the last counts.
ResourceList LargestRequests(const Pod& pod, const Container& container) {
  const auto& statuses = pod.status.container_statuses;
  const auto status = std::find_if(
      statuses.rbegin(), statuses.rend(),
      [&](const auto& status) { return status.name == container.name; });
  if (status == statuses.rend() || !status->resources) {
    return container.requests;
  }
  ResourceList requests;
  if (!pod.status.resize_infeasible) requests = container.requests;
  if (status->resources->requests) {
    SetMax(*status->resources->requests, requests);
  }
  if (status->allocated_resources) {
    SetMax(*status->allocated_resources, requests);
  }
  return requests;
}

ResourceList ContainerRequests(const Pod& pod, const Container& container,
                               Source source) {
  if (source == Source::kSpec) return container.requests;
  if (source == Source::kLargest) return LargestRequests(pod, container);
  if (const ContainerStatus* status =
          FindContainerStatus(pod, container.name)) {
    if (source == Source::kActuated && status->resources &&
        status->resources->requests) {
      return *status->resources->requests;
    }
    if (status->allocated_resources) return *status->allocated_resources;
  }
  return pod.status.resize_infeasible ? ResourceList() : container.requests;
}

// aggregateContainerResourcesByFn.
ResourceList AggregateContainers(const Pod& pod,
                                 const ResourceList& non_missing,
                                 Source source) {
  const auto requests_of = [&](const Container& container, Source from) {
    ResourceList requests = ContainerRequests(pod, container, from);
    requests.insert(non_missing.begin(), non_missing.end());
    return requests;
  };
  ResourceList result;
  for (const Container& container : pod.spec.containers) {
    Add(requests_of(container, source), result);
  }
  // While an init container runs, so do the sidecars before it.
  ResourceList sidecars;
  ResourceList init;
  for (const Container& container : pod.spec.init_containers) {
    const bool is_sidecar = container.restart_policy == "Always";
    // Up to 1.36 only sidecars are resized among the init containers.
    ResourceList requests = requests_of(
        container,
        source == Source::kLargest && !is_sidecar ? Source::kSpec : source);
    if (is_sidecar) {
      Add(requests, result);
      Add(requests, sidecars);
      SetMax(sidecars, init);
    } else {
      Add(sidecars, requests);
      SetMax(requests, init);
    }
  }
  SetMax(init, result);
  return result;
}

ResourceList AggregateContainerRequests(const Pod& pod,
                                        const PodResourcesOptions& options) {
  const ResourceList& non_missing = options.non_missing_container_requests;
  const bool is_resized =
      options.use_status_resources && options.release.resizes;
  if (is_resized && options.release.resized_by_container) {
    return AggregateContainers(pod, non_missing, Source::kLargest);
  }
  const ResourceList spec =
      AggregateContainers(pod, non_missing, Source::kSpec);
  if (!is_resized) return spec;
  ResourceList requests;
  if (!pod.status.resize_infeasible) requests = spec;
  if (options.release.pod_level_resizes && pod.status.allocated_resources &&
      pod.status.resources && pod.status.resources->requests) {
    SetMax(*pod.status.resources->requests, requests);
    SetMax(*pod.status.allocated_resources, requests);
  } else {
    SetMax(AggregateContainers(pod, non_missing, Source::kActuated), requests);
    SetMax(AggregateContainers(pod, non_missing, Source::kAllocated), requests);
  }
  return requests;
}

// IsPodLevelRequestsSet, with the feature gate.
bool HasPodLevelRequests(const Pod& pod, const KubernetesRelease& release) {
  return release.pod_level_resources && pod.spec.requests &&
         std::any_of(pod.spec.requests->begin(), pod.spec.requests->end(),
                     [](const auto& request) {
                       return IsSupportedPodLevelResource(request.first);
                     });
}

ResourceList EffectivePodLevelRequests(const Pod& pod,
                                       const PodResourcesOptions& options) {
  if (!options.use_status_resources || !options.release.resizes ||
      !options.release.pod_level_resizes || !pod.status.resources) {
    return *pod.spec.requests;
  }
  ResourceList requests;
  if (!pod.status.resize_infeasible) requests = *pod.spec.requests;
  if (pod.status.resources->requests) {
    SetMax(*pod.status.resources->requests, requests);
  }
  if (pod.status.allocated_resources) {
    SetMax(*pod.status.allocated_resources, requests);
  }
  if (!options.release.resized_by_container) return requests;
  // Up to 1.36 only of the resources that the spec has.
  ResourceList requested;
  for (const auto& [name, unused] : *pod.spec.requests) {
    requested[name] = requests[name];
  }
  return requested;
}

}  // namespace

ResourceList PodRequests(const Pod& pod, const PodResourcesOptions& options) {
  ResourceList requests = AggregateContainerRequests(pod, options);
  if (!options.skip_pod_level_resources &&
      HasPodLevelRequests(pod, options.release)) {
    for (const auto& [name, quantity] :
         EffectivePodLevelRequests(pod, options)) {
      if (IsSupportedPodLevelResource(name)) requests[name] = quantity;
    }
  }
  Add(pod.spec.overhead, requests);
  return requests;
}

ResourceList DefaultNonZeroRequests() {
  return {{kResourceCpu, Quantity::FromMilliValue(kDefaultMilliCpuRequest)},
          {kResourceMemory, Quantity::FromValue(kDefaultMemoryRequest)}};
}

void PodResource::Add(const PodResource& other) {
  resource.Add(other.resource);
  non_zero_milli_cpu = GoAdd(non_zero_milli_cpu, other.non_zero_milli_cpu);
  non_zero_memory = GoAdd(non_zero_memory, other.non_zero_memory);
}

void PodResource::Subtract(const PodResource& other) {
  resource.Subtract(other.resource);
  non_zero_milli_cpu = GoSubtract(non_zero_milli_cpu, other.non_zero_milli_cpu);
  non_zero_memory = GoSubtract(non_zero_memory, other.non_zero_memory);
}

PodResource CalculatePodResource(const Pod& pod,
                                 const KubernetesRelease& release) {
  PodResourcesOptions options{.release = release, .use_status_resources = true};
  const ResourceList requests = PodRequests(pod, options);
  options.non_missing_container_requests = DefaultNonZeroRequests();
  if (HasPodLevelRequests(pod, release)) {
    // The defaults are for resources that neither level mentions.
    std::erase_if(
        options.non_missing_container_requests,
        [&](const auto& missing) { return requests.contains(missing.first); });
  }
  ResourceList non_zero = options.non_missing_container_requests.empty()
                              ? requests
                              : PodRequests(pod, options);
  PodResource result;
  result.resource.Add(requests);
  result.non_zero_milli_cpu = non_zero[kResourceCpu].MilliValue();
  result.non_zero_memory = non_zero[kResourceMemory].Value();
  return result;
}

}  // namespace vicinal
