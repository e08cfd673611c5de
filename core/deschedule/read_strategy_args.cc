#include "core/deschedule/read_strategy_args.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/deschedule/policy_fields.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

absl::Status ReadNamespaces(JsonValue value, const JsonPath& path,
                            Strategy* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "include") {
          return Decode(field, where, &out->include_namespaces);
        }
        if (key != "exclude") return FieldError(where, "unknown field");
        return Decode(field, where, &out->exclude_namespaces);
      });
  if (status.ok() && !out->include_namespaces.empty() &&
      !out->exclude_namespaces.empty()) {
    return FieldError(path, "only one of include and exclude can be set");
  }
  return status;
}

// A list out of two words, of which at least one must be there.
absl::Status ReadTwo(JsonValue value, const JsonPath& path,
                     std::string_view first, bool* has_first,
                     std::string_view second, bool* has_second) {
  std::vector<std::string> names;
  if (absl::Status status = Decode(value, path, &names); !status.ok()) {
    return status;
  }
  if (names.empty()) return absl::OkStatus();
  *has_first = *has_second = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != first && names[i] != second) {
      return FieldError(
          path.Index(i),
          absl::StrCat("must be ", std::string(first), " or ",
                       std::string(second), ", got ", Quoted(names[i])));
    }
    (names[i] == first ? *has_first : *has_second) = true;
  }
  return absl::OkStatus();
}

// A field that only one strategy has; absent: not one of its fields.
std::optional<absl::Status> ReadOwnField(std::string_view key, JsonValue field,
                                         const JsonPath& where, Strategy* out) {
  switch (out->kind) {
    case StrategyKind::kNodeAffinity:
      if (key != "nodeAffinityType") return std::nullopt;
      return ReadTwo(field, where,
                     "requiredDuringSchedulingIgnoredDuringExecution",
                     &out->required_node_affinity,
                     "preferredDuringSchedulingIgnoredDuringExecution",
                     &out->preferred_node_affinity);
    case StrategyKind::kNodeTaints:
      if (key == "includePreferNoSchedule") {
        return Decode(field, where, &out->include_prefer_no_schedule);
      }
      if (key == "excludedTaints") {
        return Decode(field, where, &out->excluded_taints);
      }
      if (key != "includedTaints") return std::nullopt;
      return Decode(field, where, &out->included_taints);
    case StrategyKind::kTopologySpread:
      if (key == "topologyBalanceNodeFit") return absl::OkStatus();
      if (key != "constraints") return std::nullopt;
      return ReadTwo(field, where, "DoNotSchedule", &out->do_not_schedule,
                     "ScheduleAnyway", &out->schedule_anyway);
    case StrategyKind::kDuplicates:
      if (key != "excludeOwnerKinds") return std::nullopt;
      return Decode(field, where, &out->exclude_owner_kinds);
    default:
      return std::nullopt;
  }
}

}  // namespace

absl::Status ReadStrategyArgs(JsonValue value, const JsonPath& path,
                              Strategy* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "kind" || key == "apiVersion") return absl::OkStatus();
        if (key == "namespaces") return ReadNamespaces(field, where, out);
        if (key == "labelSelector" && out->kind != StrategyKind::kDuplicates) {
          return ReadLabelSelector(field, where, &out->label_selector);
        }
        return ReadOwnField(key, field, where, out)
            .value_or(FieldError(where, "unknown field"));
      });
  if (status.ok() && !out->excluded_taints.empty() &&
      !out->included_taints.empty()) {
    return FieldError(path,
                      "only one of includedTaints and excludedTaints can be "
                      "set");
  }
  return status;
}

}  // namespace vicinal
