#include "core/deschedule/read_evictor_args.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/deschedule/policy_fields.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

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

}  // namespace

absl::Status ReadEvictorArgs(JsonValue value, const JsonPath& path,
                             EvictorArgs* out) {
  Protections protections;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "kind" || key == "apiVersion") return absl::OkStatus();
        if (key == "nodeFit") return Decode(field, where, &out->node_fit);
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
          return ReadFlag(field, where, protections, &out->evict_failed_bare);
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
    out->evict_failed_bare |= name == "FailedBarePods";
  }
  for (const std::string& name : protections.extra_enabled) {
    out->protect_pvc |= name == "PodsWithPVC";
    out->protect_resource_claims |= name == "PodsWithResourceClaims";
  }
  return absl::OkStatus();
}

}  // namespace vicinal
