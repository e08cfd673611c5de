#include "core/deschedule/read_policy.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/deschedule/selector_text.h"
#include "core/model/decode.h"
#include "core/model/did_you_mean.h"
#include "core/model/field_error.h"
#include "core/model/json.h"
#include "core/model/label_selector.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

constexpr char kApiVersion[] = "descheduler/v1alpha2";
constexpr char kKind[] = "DeschedulerPolicy";
constexpr char kDefaultEvictor[] = "DefaultEvictor";

// Upstream's plugins that vicinal does not have.
constexpr std::array<std::string_view, 5> kOtherPlugins = {
    "HighNodeUtilization", "LowNodeUtilization", "PodLifeTime",
    "RemoveFailedPods", "RemovePodsHavingTooManyRestarts"};

absl::Status Unsupported(const JsonPath& path, std::string_view what) {
  return FieldError(
      path, absl::StrCat("vicinal does not support ", std::string(what)));
}

std::optional<StrategyKind> KindOf(std::string_view name) {
  const auto it = std::ranges::find(kStrategyNames, name);
  if (it == kStrategyNames.end()) return std::nullopt;
  return static_cast<StrategyKind>(it - kStrategyNames.begin());
}

absl::Status UnknownPlugin(const JsonPath& path, const std::string& name) {
  if (std::ranges::count(kOtherPlugins, name) > 0) {
    return Unsupported(path, "the strategy " + Quoted(name));
  }
  const std::string meant = DidYouMean(
      name,
      std::vector<std::string>(kStrategyNames.begin(), kStrategyNames.end()));
  return FieldError(
      path, absl::StrCat(
                "unknown strategy ", Quoted(name),
                meant.empty() ? "" : "; did you mean " + Quoted(meant) + "?"));
}

// Puts the place in front of what a parser says.
absl::Status At(const JsonPath& path, const absl::Status& status) {
  return FieldError(path, std::string(status.message()));
}

absl::Status ReadCount(JsonValue value, const JsonPath& path,
                       std::optional<std::int64_t>* out) {
  if (IsNull(value)) return absl::OkStatus();
  std::int64_t count = 0;
  if (absl::Status status = Decode(value, path, &count); !status.ok()) {
    return status;
  }
  if (count < 0) {
    return FieldError(path, absl::StrCat("must not be negative, got ", count));
  }
  *out = count;
  return absl::OkStatus();
}

absl::Status ReadLabelSelector(JsonValue value, const JsonPath& path,
                               std::optional<Selector>* out) {
  std::optional<LabelSelector> written;
  if (absl::Status status = Decode(value, path, &written); !status.ok()) {
    return status;
  }
  if (!written) return absl::OkStatus();
  absl::StatusOr<Selector> selector = AsSelector(written);
  if (!selector.ok()) return At(path, selector.status());
  *out = *std::move(selector);
  return absl::OkStatus();
}

absl::Status ReadSelectorText(JsonValue value, const JsonPath& path,
                              std::optional<Selector>* out) {
  std::optional<std::string> text;
  if (absl::Status status = Decode(value, path, &text); !status.ok()) {
    return status;
  }
  if (!text) return absl::OkStatus();
  absl::StatusOr<Selector> selector = ParseSelectorText(*text);
  if (!selector.ok()) return At(path, selector.status());
  *out = *std::move(selector);
  return absl::OkStatus();
}

// A Go duration: "1h30m".
absl::Status ReadDuration(JsonValue value, const JsonPath& path,
                          std::optional<std::chrono::seconds>* out) {
  std::optional<std::string> text;
  if (absl::Status status = Decode(value, path, &text); !status.ok()) {
    return status;
  }
  if (!text) return absl::OkStatus();
  absl::Duration duration;
  if (!absl::ParseDuration(*text, &duration) ||
      duration < absl::ZeroDuration()) {
    return FieldError(path,
                      absl::StrCat("must be a duration such as \"1h30m\", got ",
                                   Quoted(*text)));
  }
  *out = std::chrono::seconds(
      absl::ToInt64Seconds(absl::Ceil(duration, absl::Seconds(1))));
  return absl::OkStatus();
}

absl::Status ReadPriorityThreshold(JsonValue value, const JsonPath& path,
                                   std::optional<std::int32_t>* out) {
  std::string name;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "value") return Decode(field, where, out);
        if (key != "name") return FieldError(where, "unknown field");
        return Decode(field, where, &name);
      });
  if (!status.ok() || name.empty()) return status;
  if (*out) {
    return FieldError(path, "only one of value and name can be set");
  }
  if (name == "system-cluster-critical") {
    *out = 2'000'000'000;
  } else if (name == "system-node-critical") {
    *out = 2'000'001'000;
  } else {
    return Unsupported(path.Field("name"), "the PriorityClass " + Quoted(name) +
                                               " by name; give its value");
  }
  return status;
}

// The two spellings of what is protected.
struct Protections {
  std::vector<std::string> default_disabled;
  std::vector<std::string> extra_enabled;
  bool deprecated = false;  // One of the old fields is true.
};

absl::Status ReadNames(JsonValue value, const JsonPath& path,
                       const std::vector<std::string>& allowed,
                       std::vector<std::string>* out) {
  if (absl::Status status = Decode(value, path, out); !status.ok()) {
    return status;
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < out->size(); ++i) {
    const std::string& name = (*out)[i];
    if (std::ranges::count(allowed, name) == 0) {
      return FieldError(path.Index(i),
                        absl::StrCat("unknown protection ", Quoted(name)));
    }
    if (!seen.insert(name).second) {
      return FieldError(path.Index(i), Quoted(name) + " is there twice");
    }
  }
  return absl::OkStatus();
}

absl::Status ReadProtections(JsonValue value, const JsonPath& path,
                             Protections* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "defaultDisabled") {
          return ReadNames(field, where,
                           {"PodsWithLocalStorage", "DaemonSetPods",
                            "SystemCriticalPods", "FailedBarePods"},
                           &out->default_disabled);
        }
        if (key == "config") {
          if (IsNull(field)) return absl::OkStatus();
          return Unsupported(where, "protection by storage class");
        }
        if (key != "extraEnabled") return FieldError(where, "unknown field");
        absl::Status status = ReadNames(
            field, where,
            {"PodsWithPVC", "PodsWithoutPDB", "PodsWithResourceClaims"},
            &out->extra_enabled);
        if (status.ok() &&
            std::ranges::count(out->extra_enabled, "PodsWithoutPDB") > 0) {
          return Unsupported(where, "PodsWithoutPDB");
        }
        return status;
      });
}

absl::Status ReadFlag(JsonValue field, const JsonPath& where,
                      Protections& protections, bool* flag) {
  absl::Status status = Decode(field, where, flag);
  protections.deprecated |= *flag;
  return status;
}

absl::Status ReadEvictorArgs(JsonValue value, const JsonPath& path,
                             EvictorArgs* out) {
  Protections protections;
  bool ignored = false;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "kind" || key == "apiVersion" || key == "nodeFit") {
          return absl::OkStatus();
        }
        if (key == "nodeSelector") {
          return ReadSelectorText(field, where, &out->node_selector);
        }
        if (key == "labelSelector") {
          return ReadLabelSelector(field, where, &out->label_selector);
        }
        if (key == "namespaceLabelSelector") {
          return ReadLabelSelector(field, where,
                                   &out->namespace_label_selector);
        }
        if (key == "priorityThreshold") {
          return ReadPriorityThreshold(field, where, &out->priority_threshold);
        }
        if (key == "minReplicas") {
          std::optional<std::int64_t> replicas;
          absl::Status read = ReadCount(field, where, &replicas);
          out->min_replicas = replicas.value_or(0);
          return read;
        }
        if (key == "minPodAge") {
          return ReadDuration(field, where, &out->min_pod_age);
        }
        if (key == "noEvictionPolicy") {
          std::string name;
          absl::Status read = Decode(field, where, &name);
          out->respect_prefer_no_eviction = name == "Mandatory";
          if (read.ok() && !name.empty() && name != "Mandatory" &&
              name != "Preferred") {
            return FieldError(
                where, "must be Preferred or Mandatory, got " + Quoted(name));
          }
          return read;
        }
        if (key == "podProtections") {
          return ReadProtections(field, where, &protections);
        }
        if (key == "evictLocalStoragePods") {
          return ReadFlag(field, where, protections, &out->evict_local_storage);
        }
        if (key == "evictDaemonSetPods") {
          return ReadFlag(field, where, protections, &out->evict_daemon_set);
        }
        if (key == "evictSystemCriticalPods") {
          return ReadFlag(field, where, protections,
                          &out->evict_system_critical);
        }
        if (key == "ignorePvcPods") {
          return ReadFlag(field, where, protections, &out->protect_pvc);
        }
        if (key == "evictFailedBarePods") {
          return ReadFlag(field, where, protections, &ignored);
        }
        if (key == "ignorePodsWithoutPDB") {
          bool wanted = false;
          absl::Status read = Decode(field, where, &wanted);
          return wanted ? Unsupported(where, "ignorePodsWithoutPDB") : read;
        }
        return FieldError(where, "unknown field");
      });
  if (!status.ok()) return status;
  if (protections.deprecated && (!protections.default_disabled.empty() ||
                                 !protections.extra_enabled.empty())) {
    return FieldError(path.Field("podProtections"),
                      "cannot be used beside the deprecated fields evict… and "
                      "ignore…");
  }
  for (const std::string& name : protections.default_disabled) {
    out->evict_local_storage |= name == "PodsWithLocalStorage";
    out->evict_daemon_set |= name == "DaemonSetPods";
    out->evict_system_critical |= name == "SystemCriticalPods";
  }
  for (const std::string& name : protections.extra_enabled) {
    out->protect_pvc |= name == "PodsWithPVC";
    out->protect_resource_claims |= name == "PodsWithResourceClaims";
  }
  return absl::OkStatus();
}

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

// An entry of pluginConfig. The args are kept as text, because the name that
// says how to read them may come after them.
struct PluginArgs {
  std::string name;
  std::string args = "{}";
};

absl::Status ReadEntry(JsonValue value, const JsonPath& path, PluginArgs* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key != "args") return FieldError(where, "unknown field");
        if (IsNull(field)) return absl::OkStatus();
        simdjson::ondemand::object object;
        if (field.get_object().get(object) != simdjson::SUCCESS) {
          return TypeError(where, "an object", field);
        }
        std::string_view text;
        if (const auto error = object.raw_json().get(text)) {
          return SyntaxError(where, error);
        }
        out->args = text;
        return absl::OkStatus();
      });
}

struct Plugins {
  std::vector<StrategyKind> enabled;
};

absl::Status ReadPluginSet(JsonValue value, const JsonPath& path,
                           bool are_strategies, Plugins* out) {
  std::set<std::string> disabled;
  std::vector<StrategyKind> enabled;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "enabled" && key != "disabled") {
          return FieldError(where, "unknown field");
        }
        std::vector<std::string> names;
        if (absl::Status read = Decode(field, where, &names); !read.ok()) {
          return read;
        }
        if (key == "disabled") {
          disabled.insert(names.begin(), names.end());
          return absl::OkStatus();
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (!are_strategies && names[i] == kDefaultEvictor) continue;
          const std::optional<StrategyKind> kind = KindOf(names[i]);
          if (!are_strategies || !kind) {
            return UnknownPlugin(where.Index(i), names[i]);
          }
          enabled.push_back(*kind);
        }
        return absl::OkStatus();
      });
  for (const StrategyKind kind : enabled) {
    if (disabled.contains("*") ||
        disabled.contains(std::string(NameOf(kind)))) {
      continue;
    }
    if (std::ranges::count(out->enabled, kind) == 0) {
      out->enabled.push_back(kind);
    }
  }
  return status;
}

absl::Status ReadPlugins(JsonValue value, const JsonPath& path, Plugins* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "deschedule" || key == "balance") {
          return ReadPluginSet(field, where, true, out);
        }
        if (key == "filter" || key == "preevictionfilter" ||
            key == "preEvictionFilter" || key == "sort" || key == "presort") {
          return ReadPluginSet(field, where, false, out);
        }
        return FieldError(where, "unknown field");
      });
}

absl::Status ReadProfile(JsonValue value, const JsonPath& path,
                         PolicyProfile* out) {
  Plugins plugins;
  std::map<StrategyKind, Strategy> configured;
  std::set<std::string> seen;
  const auto read_config = [&](JsonValue element, const JsonPath& where) {
    PluginArgs entry;
    if (absl::Status status = ReadEntry(element, where, &entry); !status.ok()) {
      return status;
    }
    if (!seen.insert(entry.name).second) {
      return FieldError(where.Field("name"),
                        "a second config for " + Quoted(entry.name));
    }
    const simdjson::padded_string args(entry.args);
    JsonReader reader;
    const JsonPath args_path = where.Field("args");
    if (entry.name == kDefaultEvictor) {
      return reader.ReadWith(args, [&](JsonValue object) {
        return ReadEvictorArgs(object, args_path, &out->evictor);
      });
    }
    const std::optional<StrategyKind> kind = KindOf(entry.name);
    if (!kind) return UnknownPlugin(where.Field("name"), entry.name);
    Strategy& strategy = configured[*kind];
    strategy.kind = *kind;
    return reader.ReadWith(args, [&](JsonValue object) {
      return ReadStrategyArgs(object, args_path, &strategy);
    });
  };
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "pluginConfig") {
          return ForEachElement(field, where, read_config);
        }
        if (key == "plugins") return ReadPlugins(field, where, &plugins);
        return FieldError(where, "unknown field");
      });
  if (!status.ok()) return status;
  for (const StrategyKind kind : plugins.enabled) {
    Strategy& strategy = configured[kind];
    strategy.kind = kind;
    out->strategies.push_back(strategy);
  }
  return absl::OkStatus();
}

absl::Status ReadTopLevel(JsonValue value, Policy* out) {
  std::string api_version;
  std::string kind;
  std::optional<std::int64_t> per_owner;
  absl::Status status = ForEachField(
      value, {},
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "apiVersion") return Decode(field, where, &api_version);
        if (key == "kind") return Decode(field, where, &kind);
        if (key == "profiles") {
          return ForEachElement(
              field, where, [out](JsonValue element, const JsonPath& there) {
                return ReadProfile(element, there,
                                   &out->profiles.emplace_back());
              });
        }
        if (key == "nodeSelector") {
          return ReadSelectorText(field, where, &out->node_selector);
        }
        if (key == "maxNoOfPodsToEvictPerNode") {
          return ReadCount(field, where, &out->max_per_node);
        }
        if (key == "maxNoOfPodsToEvictPerNamespace") {
          return ReadCount(field, where, &out->max_per_namespace);
        }
        if (key == "maxNoOfPodsToEvictTotal") {
          return ReadCount(field, where, &out->max_total);
        }
        if (key == "vicinal.maxNoOfPodsToEvictPerOwner") {
          return ReadCount(field, where, &per_owner);
        }
        if (key == "gracePeriodSeconds") {
          return ReadCount(field, where, &out->grace_period_seconds);
        }
        if (key == "evictionFailureEventNotification") {
          bool ignored = false;
          return Decode(field, where, &ignored);
        }
        if (key == "metricsCollector" || key == "metricsProviders") {
          return Unsupported(where, "metrics");
        }
        return FieldError(where, "unknown field");
      });
  if (!status.ok()) return status;
  if (api_version != kApiVersion) {
    return FieldError(JsonPath().Field("apiVersion"),
                      absl::StrCat("must be ", Quoted(kApiVersion), ", got ",
                                   Quoted(api_version)));
  }
  if (kind != kKind) {
    return FieldError(
        JsonPath().Field("kind"),
        absl::StrCat("must be ", Quoted(kKind), ", got ", Quoted(kind)));
  }
  if (per_owner) {
    out->max_per_owner =
        *per_owner == 0 ? std::nullopt : std::optional(*per_owner);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Policy> ReadPolicy(std::string_view text) {
  const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be one document, got ", documents->size()));
  }
  Policy policy;
  absl::Status status = JsonReader().ReadWith(
      simdjson::padded_string(documents->front()),
      [&policy](JsonValue value) { return ReadTopLevel(value, &policy); });
  if (!status.ok()) return status;
  return policy;
}

}  // namespace vicinal
