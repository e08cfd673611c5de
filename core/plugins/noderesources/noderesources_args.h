// Arguments of the NodeResourcesFit and NodeResourcesBalancedAllocation
// plugins, with upstream's defaults.
// Source: pkg/scheduler/apis/config/types_pluginargs.go, v1/defaults.go and
// validation/validation_pluginargs.go.
#ifndef VICINAL_CORE_PLUGINS_NODERESOURCES_NODERESOURCES_ARGS_H_
#define VICINAL_CORE_PLUGINS_NODERESOURCES_NODERESOURCES_ARGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/model/resource_name.h"

namespace vicinal {

struct ResourceSpec {
  std::string name;
  std::int64_t weight = 1;  // 1 … 100

  friend bool operator==(const ResourceSpec&, const ResourceSpec&) = default;
};

inline std::vector<ResourceSpec> DefaultResourceSpecs() {
  return {{kResourceCpu, 1}, {kResourceMemory, 1}};
}

// A point of the function from utilization in percent to a score of 0 … 10.
struct UtilizationShapePoint {
  std::int32_t utilization = 0;
  std::int32_t score = 0;

  friend bool operator==(const UtilizationShapePoint&,
                         const UtilizationShapePoint&) = default;
};

struct ScoringStrategy {
  static constexpr std::string_view kLeastAllocated = "LeastAllocated";
  static constexpr std::string_view kMostAllocated = "MostAllocated";
  static constexpr std::string_view kRequestedToCapacityRatio =
      "RequestedToCapacityRatio";

  std::string type = std::string(kLeastAllocated);
  std::vector<ResourceSpec> resources = DefaultResourceSpecs();
  // By increasing utilization; for RequestedToCapacityRatio only.
  std::vector<UtilizationShapePoint> shape;

  friend bool operator==(const ScoringStrategy&,
                         const ScoringStrategy&) = default;
};

struct NodeResourcesFitArgs {
  // Extended resources, and their prefixes before the slash, that are not
  // filtered by.
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategy scoring_strategy;

  friend bool operator==(const NodeResourcesFitArgs&,
                         const NodeResourcesFitArgs&) = default;
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceSpec> resources = DefaultResourceSpecs();

  friend bool operator==(const NodeResourcesBalancedAllocationArgs&,
                         const NodeResourcesBalancedAllocationArgs&) = default;
};

// InvalidArgument with all that is wrong, in upstream's words.
absl::Status Validate(const NodeResourcesFitArgs& args);
absl::Status Validate(const NodeResourcesBalancedAllocationArgs& args);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODERESOURCES_NODERESOURCES_ARGS_H_
