#include "core/deschedule/read_strategy_args.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

absl::Status ReadOwnerKinds(JsonValue value, const JsonPath& path,
                            Strategy* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "include") {
          return Decode(field, where, &out->include_owner_kinds);
        }
        if (key != "exclude") return FieldError(where, "unknown field");
        return Decode(field, where, &out->exclude_owner_kinds);
      });
  if (status.ok() && !out->include_owner_kinds.empty() &&
      !out->exclude_owner_kinds.empty()) {
    return FieldError(path,
                      "only one of Include/Exclude ownerKinds can be set");
  }
  return status;
}

absl::Status ReadCondition(JsonValue value, const JsonPath& path,
                           ConditionFilter* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "type") return Decode(field, where, &out->type);
        if (key == "status") return Decode(field, where, &out->status);
        if (key == "reason") return Decode(field, where, &out->reason);
        if (key != "minTimeSinceLastTransitionSeconds") {
          return FieldError(where, "unknown field");
        }
        return ReadCount(field, where, &out->min_seconds_since);
      });
  if (status.ok() && out->type.empty() && out->status.empty() &&
      out->reason.empty() && !out->min_seconds_since) {
    return FieldError(path,
                      "at least one of type, status, reason, or "
                      "minTimeSinceLastTransitionSeconds must be set");
  }
  return status;
}

// Sorted, as in upstream's error.
constexpr std::array<const char*, 2> kRestartStates = {"CrashLoopBackOff",
                                                       "Running"};
constexpr std::array<const char*, 24> kLifeTimeStates = {
    "Completed",
    "ContainerCannotRun",
    "ContainerCreating",
    "CrashLoopBackOff",
    "CreateContainerConfigError",
    "CreateContainerError",
    "DeadlineExceeded",
    "ErrImagePull",
    "Error",
    "Evicted",
    "Failed",
    "ImagePullBackOff",
    "InvalidImageName",
    "NodeAffinity",
    "NodeLost",
    "OOMKilled",
    "Pending",
    "PodInitializing",
    "Running",
    "Shutdown",
    "StartError",
    "Succeeded",
    "UnexpectedAdmissionError",
    "Unknown",
};

absl::Status ReadStates(JsonValue value, const JsonPath& path,
                        std::span<const char* const> allowed,
                        std::vector<std::string>* out) {
  if (absl::Status status = Decode(value, path, out); !status.ok()) {
    return status;
  }
  for (std::size_t i = 0; i < out->size(); ++i) {
    if (std::ranges::count(allowed, (*out)[i]) > 0) continue;
    return FieldError(
        path.Index(i),
        absl::StrCat("states must be one of [", absl::StrJoin(allowed, " "),
                     "], got ", Quoted((*out)[i])));
  }
  return absl::OkStatus();
}

absl::Status ReadRestartField(std::string_view key, JsonValue field,
                              const JsonPath& where, Strategy* out) {
  if (key == "podRestartThreshold") {
    std::int32_t threshold = 0;
    absl::Status status = Decode(field, where, &threshold);
    out->restart_threshold = threshold;
    return status;
  }
  if (key == "states") {
    return ReadStates(field, where, kRestartStates, &out->states);
  }
  if (key != "includingInitContainers") {
    return FieldError(where, "unknown field");
  }
  return Decode(field, where, &out->including_init_containers);
}

absl::Status ReadFailedField(std::string_view key, JsonValue field,
                             const JsonPath& where, Strategy* out) {
  if (key == "excludeOwnerKinds") {
    return Decode(field, where, &out->exclude_owner_kinds);
  }
  if (key == "minPodLifetimeSeconds") {
    std::optional<std::int64_t> seconds;
    absl::Status status = ReadCount(field, where, &seconds);
    out->min_age_seconds = seconds.value_or(out->min_age_seconds);
    return status;
  }
  if (key == "reasons") return Decode(field, where, &out->reasons);
  if (key == "exitCodes") return Decode(field, where, &out->exit_codes);
  if (key != "includingInitContainers") {
    return FieldError(where, "unknown field");
  }
  return Decode(field, where, &out->including_init_containers);
}

absl::Status ReadLifeTimeField(std::string_view key, JsonValue field,
                               const JsonPath& where, Strategy* out) {
  if (key == "ownerKinds") return ReadOwnerKinds(field, where, out);
  if (key == "maxPodLifeTimeSeconds") {
    return ReadCount(field, where, &out->max_age_seconds);
  }
  if (key == "states") {
    return ReadStates(field, where, kLifeTimeStates, &out->states);
  }
  if (key == "conditions") {
    return ForEachElement(
        field, where, [out](JsonValue element, const JsonPath& there) {
          return ReadCondition(element, there, &out->conditions.emplace_back());
        });
  }
  if (key == "exitCodes") return Decode(field, where, &out->exit_codes);
  if (key == "includingEphemeralContainers") {
    return Decode(field, where, &out->including_ephemeral_containers);
  }
  if (key != "includingInitContainers") {
    return FieldError(where, "unknown field");
  }
  return Decode(field, where, &out->including_init_containers);
}

absl::Status ReadThresholds(JsonValue value, const JsonPath& path,
                            ResourceThresholds* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        double percent = 0;
        if (field.get_double().get(percent) != simdjson::SUCCESS) {
          return TypeError(where, "a number", field);
        }
        if (percent < 0 || percent > 100) {
          return FieldError(
              where,
              absl::StrCat(std::string(key),
                           " threshold not in [0, 100] range, got ", percent));
        }
        (*out)[std::string(key)] = percent;
        return absl::OkStatus();
      });
}

absl::Status ReadEvictableNamespaces(JsonValue value, const JsonPath& path,
                                     Strategy* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        std::vector<std::string> names;
        if (absl::Status status = Decode(field, where, &names); !status.ok()) {
          return status;
        }
        if (key == "include" && !names.empty()) {
          return FieldError(where,
                            "only Exclude namespaces can be set, inclusion is "
                            "not supported");
        }
        if (key == "include") return absl::OkStatus();
        if (key != "exclude") return FieldError(where, "unknown field");
        out->exclude_namespaces = std::move(names);
        return absl::OkStatus();
      });
}

absl::Status ReadEvictionModes(JsonValue value, const JsonPath& path,
                               UtilizationArgs* out) {
  std::vector<std::string> modes;
  if (absl::Status status = Decode(value, path, &modes); !status.ok()) {
    return status;
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i] != "OnlyThresholdingResources") {
      return FieldError(path.Index(i),
                        "invalid eviction mode " + Quoted(modes[i]));
    }
    out->only_thresholding_resources = true;
  }
  return absl::OkStatus();
}

absl::Status ReadUtilizationField(std::string_view key, JsonValue field,
                                  const JsonPath& where, Strategy* out) {
  UtilizationArgs& args = out->utilization;
  if (key == "thresholds") {
    return ReadThresholds(field, where, &args.thresholds);
  }
  if (key == "numberOfNodes") {
    std::optional<std::int64_t> count;
    absl::Status status = ReadCount(field, where, &count);
    args.number_of_nodes = count.value_or(0);
    return status;
  }
  if (key == "evictableNamespaces") {
    return ReadEvictableNamespaces(field, where, out);
  }
  if (out->kind == StrategyKind::kHighNodeUtilization) {
    if (key == "evictionModes") return ReadEvictionModes(field, where, &args);
    return FieldError(where, "unknown field");
  }
  if (key == "targetThresholds") {
    return ReadThresholds(field, where, &args.target_thresholds);
  }
  if (key == "useDeviationThresholds") {
    return Decode(field, where, &args.use_deviation_thresholds);
  }
  if (key == "metricsUtilization") {
    return IsNull(field) ? absl::OkStatus() : Unsupported(where, "metrics");
  }
  if (key == "evictionLimits") {
    return IsNull(field) ? absl::OkStatus()
                         : Unsupported(where, "limits of one strategy");
  }
  return FieldError(where, "unknown field");
}

absl::Status CheckUtilization(const Strategy& strategy, const JsonPath& path) {
  const UtilizationArgs& args = strategy.utilization;
  if (args.thresholds.empty()) {
    return FieldError(path.Field("thresholds"),
                      "no resource threshold is configured");
  }
  if (strategy.kind == StrategyKind::kHighNodeUtilization) {
    return absl::OkStatus();
  }
  if (args.target_thresholds.empty()) {
    return FieldError(path.Field("targetThresholds"),
                      "no resource threshold is configured");
  }
  for (const auto& [name, target] : args.target_thresholds) {
    const auto low = args.thresholds.find(name);
    if (low == args.thresholds.end() ||
        args.thresholds.size() != args.target_thresholds.size()) {
      return FieldError(path,
                        "thresholds and targetThresholds configured different "
                        "resources");
    }
    if (low->second > target && !args.use_deviation_thresholds) {
      return FieldError(
          path.Field("thresholds").Field(name),
          absl::StrCat("thresholds' ", name,
                       " percentage is greater than targetThresholds', got ",
                       low->second, " and ", target));
    }
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
    case StrategyKind::kTooManyRestarts:
      return ReadRestartField(key, field, where, out);
    case StrategyKind::kFailedPods:
      return ReadFailedField(key, field, where, out);
    case StrategyKind::kPodLifeTime:
      return ReadLifeTimeField(key, field, where, out);
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
        if (IsAboutUtilization(out->kind)) {
          return ReadUtilizationField(key, field, where, out);
        }
        if (key == "namespaces") return ReadNamespaces(field, where, out);
        if (key == "labelSelector" && out->kind != StrategyKind::kDuplicates) {
          return ReadLabelSelector(field, where, &out->label_selector);
        }
        return ReadOwnField(key, field, where, out)
            .value_or(FieldError(where, "unknown field"));
      });
  if (!status.ok()) return status;
  return CheckStrategyArgs(*out, path);
}

absl::Status CheckStrategyArgs(const Strategy& strategy, const JsonPath& path) {
  if (!strategy.excluded_taints.empty() && !strategy.included_taints.empty()) {
    return FieldError(path,
                      "only one of includedTaints and excludedTaints can be "
                      "set");
  }
  if (strategy.kind == StrategyKind::kTooManyRestarts &&
      strategy.restart_threshold < 1) {
    return FieldError(
        path.Field("podRestartThreshold"),
        absl::StrCat("invalid PodsHavingTooManyRestarts threshold, got ",
                     strategy.restart_threshold));
  }
  if (IsAboutUtilization(strategy.kind)) {
    return CheckUtilization(strategy, path);
  }
  if (strategy.kind == StrategyKind::kPodLifeTime &&
      !strategy.max_age_seconds && strategy.states.empty() &&
      strategy.conditions.empty() && strategy.exit_codes.empty()) {
    return FieldError(path,
                      "at least one filtering criterion must be specified "
                      "(maxPodLifeTimeSeconds, states, conditions, or "
                      "exitCodes)");
  }
  return absl::OkStatus();
}

}  // namespace vicinal
