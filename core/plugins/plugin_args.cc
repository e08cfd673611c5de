#include "core/plugins/plugin_args.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/model/decode.h"
#include "core/model/field_error.h"
#include "core/model/label_validation.h"

namespace vicinal {
namespace {

constexpr std::string_view kApiVersion = "kubescheduler.config.k8s.io/v1";

// The fields every args object may have.
absl::Status DecodeTypeMeta(std::string_view key, JsonValue field,
                            const JsonPath& where, std::string_view plugin) {
  if (key != "kind" && key != "apiVersion") {
    return FieldError(where, "unknown field");
  }
  std::string value;
  if (absl::Status status = Decode(field, where, &value); !status.ok()) {
    return status;
  }
  const std::string wanted =
      key == "kind" ? std::string(plugin) + "Args" : std::string(kApiVersion);
  if (value.empty() || value == wanted) return absl::OkStatus();
  return FieldError(where,
                    "must be " + Quoted(wanted) + ", got " + Quoted(value));
}

// Puts the place in front of what a validation says.
absl::Status At(const JsonPath& path, const absl::Status& status) {
  if (status.ok()) return status;
  return FieldError(path, std::string(status.message()));
}

absl::Status Decode(JsonValue value, const JsonPath& path, ResourceSpec* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "weight") return Decode(field, where, &out->weight);
        return FieldError(where, "unknown field");
      });
  if (out->weight == 0) out->weight = 1;
  return status;
}

absl::Status DecodeResources(JsonValue value, const JsonPath& path,
                             std::vector<ResourceSpec>* out) {
  out->clear();
  absl::Status status =
      ForEachElement(value, path, [out](JsonValue element, const auto& where) {
        return Decode(element, where, &out->emplace_back());
      });
  if (out->empty()) *out = DefaultResourceSpecs();
  return status;
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    UtilizationShapePoint* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "utilization") {
          return Decode(field, where, &out->utilization);
        }
        if (key == "score") return Decode(field, where, &out->score);
        return FieldError(where, "unknown field");
      });
}

absl::Status DecodeShape(JsonValue value, const JsonPath& path,
                         std::vector<UtilizationShapePoint>* out) {
  out->clear();
  return ForEachElement(value, path,
                        [out](JsonValue element, const auto& where) {
                          return Decode(element, where, &out->emplace_back());
                        });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    ScoringStrategy* out) {
  if (IsNull(value)) return absl::OkStatus();
  out->type.clear();  // Must be given if there is a strategy.
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "type") return Decode(field, where, &out->type);
        if (key == "resources") {
          return DecodeResources(field, where, &out->resources);
        }
        if (key != "requestedToCapacityRatio") {
          return FieldError(where, "unknown field");
        }
        return ForEachField(
            field, where,
            [out](std::string_view name, JsonValue list, const JsonPath& at) {
              return name == "shape" ? DecodeShape(list, at, &out->shape)
                                     : FieldError(at, "unknown field");
            });
      });
}

absl::Status Validate(const InterPodAffinityArgs& args) {
  const std::int32_t weight = args.hard_pod_affinity_weight;
  if (weight >= 0 && weight <= 100) return absl::OkStatus();
  return absl::InvalidArgumentError(
      InvalidValue("hardPodAffinityWeight", absl::StrCat(weight),
                   "not in valid range [0, 100]"));
}

std::vector<std::string> ConstraintErrors(
    const std::vector<TopologySpreadConstraint>& constraints, std::size_t i) {
  const TopologySpreadConstraint& constraint = constraints[i];
  const std::string path = absl::StrCat("defaultConstraints[", i, "]");
  std::vector<std::string> errors;
  if (constraint.max_skew <= 0) {
    errors.push_back(InvalidValue(path + ".maxSkew",
                                  absl::StrCat(constraint.max_skew),
                                  "not in valid range (0, inf)"));
  }
  for (const std::string& detail : LabelKeyErrors(constraint.topology_key)) {
    errors.push_back(InvalidValue(path + ".topologyKey",
                                  Quoted(constraint.topology_key), detail));
  }
  if (constraint.when_unsatisfiable != kDoNotSchedule &&
      constraint.when_unsatisfiable != kScheduleAnyway) {
    errors.push_back(UnsupportedValue(path + ".whenUnsatisfiable",
                                      constraint.when_unsatisfiable,
                                      {kDoNotSchedule, kScheduleAnyway}));
  }
  if (constraint.label_selector) {
    errors.push_back(path +
                     ".labelSelector: Forbidden: constraint must not define a "
                     "selector, as they deduced for each pod");
  }
  for (std::size_t j = 0; j < i; ++j) {
    if (constraints[j].topology_key == constraint.topology_key &&
        constraints[j].when_unsatisfiable == constraint.when_unsatisfiable) {
      errors.push_back(path + ": Duplicate value: " +
                       Quoted("{" + constraint.topology_key + ", " +
                              constraint.when_unsatisfiable + "}"));
      break;
    }
  }
  return errors;
}

absl::Status Validate(const PodTopologySpreadArgs& args,
                      std::string_view defaulting_type) {
  std::vector<std::string> errors;
  if (defaulting_type != "System" && defaulting_type != "List") {
    errors.push_back(UnsupportedValue("defaultingType", defaulting_type,
                                      {"System", "List"}));
  } else if (args.system_defaulting && !args.default_constraints.empty()) {
    errors.push_back(InvalidValue("defaultingType", Quoted(defaulting_type),
                                  "when .defaultConstraints are not empty"));
  }
  for (std::size_t i = 0; i < args.default_constraints.size(); ++i) {
    for (std::string& error : ConstraintErrors(args.default_constraints, i)) {
      errors.push_back(std::move(error));
    }
  }
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(AggregateError(errors));
}

}  // namespace

absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              InterPodAffinityArgs* out) {
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "hardPodAffinityWeight") {
          return Decode(field, where, &out->hard_pod_affinity_weight);
        }
        if (key == "ignorePreferredTermsOfExistingPods") {
          return Decode(field, where,
                        &out->ignore_preferred_terms_of_existing_pods);
        }
        return DecodeTypeMeta(key, field, where, plugin);
      });
  return status.ok() ? At(path, Validate(*out)) : status;
}

absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              PodTopologySpreadArgs* out) {
  std::string defaulting_type;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "defaultConstraints") {
          return Decode(field, where, &out->default_constraints);
        }
        if (key == "defaultingType") {
          return Decode(field, where, &defaulting_type);
        }
        return DecodeTypeMeta(key, field, where, plugin);
      });
  if (!status.ok()) return status;
  if (defaulting_type.empty()) defaulting_type = "System";
  out->system_defaulting = defaulting_type == "System";
  return At(path, Validate(*out, defaulting_type));
}

absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              NodeResourcesFitArgs* out) {
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "ignoredResources") {
          return Decode(field, where, &out->ignored_resources);
        }
        if (key == "ignoredResourceGroups") {
          return Decode(field, where, &out->ignored_resource_groups);
        }
        if (key == "scoringStrategy") {
          return Decode(field, where, &out->scoring_strategy);
        }
        return DecodeTypeMeta(key, field, where, plugin);
      });
  return status.ok() ? At(path, Validate(*out)) : status;
}

absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin,
                              NodeResourcesBalancedAllocationArgs* out) {
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "resources") {
          return DecodeResources(field, where, &out->resources);
        }
        return DecodeTypeMeta(key, field, where, plugin);
      });
  return status.ok() ? At(path, Validate(*out)) : status;
}

absl::Status DecodePluginArgs(JsonValue value, const JsonPath& path,
                              std::string_view plugin, NodeAffinityArgs* out) {
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "addedAffinity") {
          return Decode(field, where, &out->added_affinity);
        }
        return DecodeTypeMeta(key, field, where, plugin);
      });
  return status.ok() ? At(path, Validate(*out)) : status;
}

}  // namespace vicinal
