// What kind of resource a name stands for.
// Source: pkg/apis/core/v1/helper/helpers.go and pkg/scheduler/util/utils.go.
#ifndef VICINAL_CORE_MODEL_RESOURCE_NAME_H_
#define VICINAL_CORE_MODEL_RESOURCE_NAME_H_

#include <string_view>

namespace vicinal {

inline constexpr char kResourceCpu[] = "cpu";
inline constexpr char kResourceMemory[] = "memory";
inline constexpr char kResourceEphemeralStorage[] = "ephemeral-storage";
inline constexpr char kResourcePods[] = "pods";
inline constexpr char kHugePagesPrefix[] = "hugepages-";

// A qualified name outside of kubernetes.io, such as example.com/gpu.
bool IsExtendedResourceName(std::string_view name);

// A resource that the scheduler counts beside cpu, memory, ephemeral-storage
// and pods: extended resources, huge pages, attachable volumes and prefixed
// native resources.
bool IsScalarResourceName(std::string_view name);

// A resource that may be asked for on the level of the pod: cpu, memory, huge
// pages.
bool IsSupportedPodLevelResource(std::string_view name);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_RESOURCE_NAME_H_
