#include "core/plugins/noderesources/noderesources_args.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "core/model/field_error.h"
#include "core/model/label_validation.h"

namespace vicinal {
namespace {

using Errors = std::vector<std::string>;

absl::Status ToStatus(const Errors& errors) {
  return errors.empty() ? absl::OkStatus()
                        : absl::InvalidArgumentError(AggregateError(errors));
}

void ValidateLabelName(const std::string& path, const std::string& name,
                       Errors& errors) {
  for (const std::string& detail : LabelKeyErrors(name)) {
    errors.push_back(InvalidValue(path, Quoted(name), detail));
  }
}

void ValidateRange(const std::string& path, std::int64_t value,
                   std::int64_t largest, Errors& errors) {
  if (value >= 0 && value <= largest) return;
  errors.push_back(
      InvalidValue(path, absl::StrCat(value),
                   absl::StrCat("not in valid range [0, ", largest, "]")));
}

void ValidateShape(const std::string& path,
                   const std::vector<UtilizationShapePoint>& shape,
                   Errors& errors) {
  if (shape.empty()) {
    errors.push_back(path +
                     ": Required value: at least one point must be specified");
    return;
  }
  const auto unordered = std::adjacent_find(
      shape.begin(), shape.end(), [](const auto& a, const auto& b) {
        return a.utilization >= b.utilization;
      });
  if (unordered != shape.end()) {
    const auto second = unordered + 1;
    errors.push_back(InvalidValue(
        absl::StrCat(path, "[", second - shape.begin(), "].utilization"),
        absl::StrCat(second->utilization),
        "values must be sorted in increasing order"));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string point = absl::StrCat(path, "[", i, "]");
    ValidateRange(point + ".utilization", shape[i].utilization, 100, errors);
    ValidateRange(point + ".score", shape[i].score, 10, errors);
  }
}

void ValidateStrategy(const ScoringStrategy& strategy, Errors& errors) {
  const std::string path = "scoringStrategy";
  if (strategy.type != ScoringStrategy::kLeastAllocated &&
      strategy.type != ScoringStrategy::kMostAllocated &&
      strategy.type != ScoringStrategy::kRequestedToCapacityRatio) {
    errors.push_back(UnsupportedValue(
        path + ".type", strategy.type,
        {ScoringStrategy::kLeastAllocated, ScoringStrategy::kMostAllocated,
         ScoringStrategy::kRequestedToCapacityRatio}));
  }
  for (std::size_t i = 0; i < strategy.resources.size(); ++i) {
    const ResourceSpec& resource = strategy.resources[i];
    if (resource.weight > 0 && resource.weight <= 100) continue;
    errors.push_back(
        InvalidValue(absl::StrCat(path, ".resources[", i, "].weight"),
                     absl::StrCat(resource.weight),
                     absl::StrCat("resource weight of ", resource.name,
                                  " not in valid range (0, 100]")));
  }
  const std::string ratio_path = path + ".requestedToCapacityRatio";
  if (strategy.type == ScoringStrategy::kRequestedToCapacityRatio ||
      !strategy.shape.empty()) {
    ValidateShape(ratio_path + ".shape", strategy.shape, errors);
  }
}

}  // namespace

absl::Status Validate(const NodeResourcesFitArgs& args) {
  Errors errors;
  for (std::size_t i = 0; i < args.ignored_resources.size(); ++i) {
    ValidateLabelName(absl::StrCat("ignoredResources[", i, "]"),
                      args.ignored_resources[i], errors);
  }
  for (std::size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
    const std::string& group = args.ignored_resource_groups[i];
    const std::string path = absl::StrCat("ignoredResourceGroups[", i, "]");
    if (group.find('/') != group.npos) {
      errors.push_back(InvalidValue(path, Quoted(group),
                                    "resource group name can't contain '/'"));
    }
    ValidateLabelName(path, group, errors);
  }
  ValidateStrategy(args.scoring_strategy, errors);
  return ToStatus(errors);
}

absl::Status Validate(const NodeResourcesBalancedAllocationArgs& args) {
  Errors errors;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < args.resources.size(); ++i) {
    const ResourceSpec& resource = args.resources[i];
    const std::string path = absl::StrCat("resources[", i, "]");
    if (!seen.insert(resource.name).second) {
      errors.push_back(path +
                       ".name: Duplicate value: " + Quoted(resource.name));
    }
    if (resource.weight != 1) {
      errors.push_back(InvalidValue(
          path + ".weight", absl::StrCat(resource.weight), "must be 1"));
    }
  }
  return ToStatus(errors);
}

}  // namespace vicinal
