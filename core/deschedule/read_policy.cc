#include "core/deschedule/read_policy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/deschedule/policy_fields.h"
#include "core/deschedule/read_evictor_args.h"
#include "core/deschedule/read_strategy_args.h"
#include "core/model/did_you_mean.h"
#include "core/model/field_error.h"
#include "core/model/json.h"
#include "core/model/yaml.h"
#include "core/plugins/plugin_entry.h"

namespace vicinal {
namespace {

constexpr char kApiVersion[] = "descheduler/v1alpha2";
constexpr char kKind[] = "DeschedulerPolicy";
constexpr char kPolicyKey[] = "policy.yaml";  // Of a ConfigMap.
constexpr char kDefaultEvictor[] = "DefaultEvictor";

std::optional<StrategyKind> KindOf(std::string_view name) {
  const auto it = std::ranges::find(kStrategyNames, name);
  if (it == kStrategyNames.end()) return std::nullopt;
  return static_cast<StrategyKind>(it - kStrategyNames.begin());
}

absl::Status UnknownPlugin(const JsonPath& path, const std::string& name) {
  const std::string meant = DidYouMean(
      name,
      std::vector<std::string>(kStrategyNames.begin(), kStrategyNames.end()));
  return FieldError(
      path, absl::StrCat(
                "unknown strategy ", Quoted(name),
                meant.empty() ? "" : "; did you mean " + Quoted(meant) + "?"));
}

struct Plugins {
  std::vector<StrategyKind> enabled;
};

// What vicinal does not have, each by name once for a profile.
class UnsupportedList {
 public:
  void Add(const std::string& name, const absl::Status& why) {
    if (std::ranges::count(of_profile_, name, &SkippedStrategy::name) > 0) {
      return;
    }
    of_profile_.push_back({"", name, std::string(why.message())});
  }

  // The profile is read, with what was added since the last.
  void EndProfile(const std::string& profile) {
    for (SkippedStrategy& skipped : of_profile_) {
      skipped.profile = profile;
      all_.push_back(std::move(skipped));
    }
    of_profile_.clear();
  }

  const std::vector<SkippedStrategy>& all() const { return all_; }

  // In one error.
  absl::Status Refusal() const {
    if (all_.empty()) return absl::OkStatus();
    std::string text;
    for (const SkippedStrategy& skipped : all_) {
      absl::StrAppend(&text, text.empty() ? "" : "; ", skipped.reason);
    }
    return absl::UnimplementedError(text);
  }

 private:
  std::vector<SkippedStrategy> of_profile_;
  std::vector<SkippedStrategy> all_;
};

absl::Status ReadPluginSet(JsonValue value, const JsonPath& path,
                           bool are_strategies, UnsupportedList& unsupported,
                           Plugins* out) {
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
            unsupported.Add(names[i], UnknownPlugin(where.Index(i), names[i]));
            continue;
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

absl::Status ReadPlugins(JsonValue value, const JsonPath& path,
                         UnsupportedList& unsupported, Plugins* out) {
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "deschedule" || key == "balance") {
          return ReadPluginSet(field, where, true, unsupported, out);
        }
        if (key == "filter" || key == "preevictionfilter" ||
            key == "preEvictionFilter" || key == "sort" || key == "presort") {
          return ReadPluginSet(field, where, false, unsupported, out);
        }
        return FieldError(where, "unknown field");
      });
}

absl::Status ReadProfile(JsonValue value, const JsonPath& path,
                         UnsupportedList& unsupported, PolicyProfile* out) {
  Plugins plugins;
  std::set<StrategyKind> left_out;
  std::map<StrategyKind, Strategy> configured;
  std::set<std::string> seen;
  const auto read_config = [&](JsonValue element, const JsonPath& where) {
    PluginEntry entry;
    if (absl::Status status = Decode(element, where, &entry); !status.ok()) {
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
    if (!kind) {
      unsupported.Add(entry.name,
                      UnknownPlugin(where.Field("name"), entry.name));
      return absl::OkStatus();
    }
    Strategy& strategy = configured[*kind];
    strategy.kind = *kind;
    absl::Status read = reader.ReadWith(args, [&](JsonValue object) {
      return ReadStrategyArgs(object, args_path, &strategy);
    });
    if (!absl::IsUnimplemented(read)) return read;
    unsupported.Add(entry.name, read);
    left_out.insert(*kind);
    return absl::OkStatus();
  };
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "pluginConfig") {
          return ForEachElement(field, where, read_config);
        }
        if (key == "plugins") {
          return ReadPlugins(field, where, unsupported, &plugins);
        }
        return FieldError(where, "unknown field");
      });
  if (!status.ok()) return status;
  unsupported.EndProfile(out->name);
  for (const StrategyKind kind : plugins.enabled) {
    if (left_out.contains(kind)) continue;
    Strategy& strategy = configured[kind];
    strategy.kind = kind;
    if (absl::Status checked =
            CheckStrategyArgs(strategy, path.Field("pluginConfig")
                                            .Field(std::string(NameOf(kind)))
                                            .Field("args"));
        !checked.ok()) {
      return checked;
    }
    out->strategies.push_back(strategy);
  }
  return absl::OkStatus();
}

absl::Status ReadTopLevel(JsonValue value, UnsupportedList& unsupported,
                          Policy* out) {
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
              field, where, [&](JsonValue element, const JsonPath& there) {
                return ReadProfile(element, there, unsupported,
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

// The policy in a ConfigMap; absent if the object is none.
absl::Status ReadConfigMap(JsonValue value, std::optional<std::string>* out) {
  std::string kind;
  std::optional<std::string> policy;
  absl::Status status = ForEachField(
      value, {},
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "kind") return Decode(field, where, &kind);
        if (key != "data") return absl::OkStatus();
        return DecodeFields(field, where, JsonField{kPolicyKey, &policy});
      });
  if (!status.ok() || kind != "ConfigMap") return status;
  if (!policy) {
    return FieldError(JsonPath().Field("data").Field(kPolicyKey), "required");
  }
  *out = std::move(policy);
  return absl::OkStatus();
}

absl::StatusOr<std::string> OneDocument(std::string_view text) {
  absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be one document, got ", documents->size()));
  }
  return std::move(documents->front());
}

}  // namespace

absl::StatusOr<Policy> ReadPolicy(std::string_view text,
                                  bool skip_unsupported) {
  absl::StatusOr<std::string> document = OneDocument(text);
  if (!document.ok()) return document.status();
  JsonReader reader;
  std::optional<std::string> inner;
  absl::Status status = reader.ReadWith(
      simdjson::padded_string(*document),
      [&inner](JsonValue value) { return ReadConfigMap(value, &inner); });
  if (!status.ok()) return status;
  Policy policy;
  UnsupportedList unsupported;
  if (inner) document = OneDocument(*inner);
  status = document.status();
  if (status.ok()) {
    status = reader.ReadWith(simdjson::padded_string(*document),
                             [&](JsonValue value) {
                               return ReadTopLevel(value, unsupported, &policy);
                             });
  }
  if (status.ok() && !skip_unsupported) status = unsupported.Refusal();
  if (!status.ok()) {
    return inner ? absl::Status(status.code(),
                                absl::StrCat("data[\"", kPolicyKey,
                                             "\"]: ", status.message()))
                 : status;
  }
  policy.skipped = unsupported.all();
  return policy;
}

}  // namespace vicinal
