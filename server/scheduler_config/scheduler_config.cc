#include "server/scheduler_config/scheduler_config.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/model/json.h"
#include "core/model/yaml.h"
#include "core/plugins/read_plugin_config.h"
#include "core/plugins/registry.h"
#include "server/scheduler_config/vicinal_plugins.h"

namespace vicinal {

// Not in the unnamed namespace, where the templates of json.h would not find
// them.
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           WeightedPlugin* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "weight") return Decode(field, where, &out->weight);
        return FieldError(where, "unknown field");
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PluginSet* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "enabled") return Decode(field, where, &out->enabled);
        if (key != "disabled") return FieldError(where, "unknown field");
        std::vector<WeightedPlugin> disabled;
        absl::Status status = Decode(field, where, &disabled);
        for (WeightedPlugin& plugin : disabled) {
          out->disabled.push_back(std::move(plugin.name));
        }
        return status;
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           SchedulerConfig::Extender* out) {
  return DecodeFields(value, path, JsonField{"urlPrefix", &out->url_prefix},
                      JsonField{"filterVerb", &out->filter_verb},
                      JsonField{"prioritizeVerb", &out->prioritize_verb},
                      JsonField{"weight", &out->weight});
}

namespace {

constexpr char kApiVersion[] = "kubescheduler.config.k8s.io/v1";
constexpr char kKind[] = "KubeSchedulerConfiguration";

bool HasKnownArgs(std::string_view name) {
  const PluginRow* plugin = FindPlugin(name);
  return plugin != nullptr && plugin->read_args != nullptr;
}

struct PluginSets {
  PluginSet multi_point;
  PluginSet score;
  PluginSet filter;
};

struct RawProfile {
  std::optional<std::string> scheduler_name;
  PluginSets plugins;
  PluginConfig plugin_config;
};

absl::Status Decode(JsonValue value, const JsonPath& path, PluginSets* out) {
  return DecodeFields(value, path, JsonField{"multiPoint", &out->multi_point},
                      JsonField{"score", &out->score},
                      JsonField{"filter", &out->filter});
}

// Reads the arguments of the scheduler's own plugins; others may have any.
absl::Status DecodePluginConfig(JsonValue value, const JsonPath& path,
                                PluginConfig* out) {
  std::vector<std::string> known;
  absl::Status status = ForEachElement(
      value, path, [&known](JsonValue element, const JsonPath& where) {
        simdjson::ondemand::object object;
        std::string_view text;
        if (element.get_object().get(object) != simdjson::SUCCESS) {
          return TypeError(where, "an object", element);
        }
        if (const auto error = object.raw_json().get(text)) {
          return SyntaxError(where, error);
        }
        std::string name;
        absl::Status read = JsonReader().ReadWith(
            simdjson::padded_string(text), [&](JsonValue entry) {
              return DecodeFields(entry, where, JsonField{"name", &name});
            });
        if (!read.ok()) return read;
        if (InTreeName(name) != name) {
          known.push_back(AsInTreeEntry(text));
        } else if (HasKnownArgs(name)) {
          known.emplace_back(text);
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  const std::string list = "[" + absl::StrJoin(known, ",") + "]";
  return JsonReader().ReadWith(
      simdjson::padded_string(list),
      [&](JsonValue entries) { return Decode(entries, path, out); });
}

absl::Status Decode(JsonValue value, const JsonPath& path, RawProfile* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "schedulerName") {
          return Decode(field, where, &out->scheduler_name);
        }
        if (key == "plugins") return Decode(field, where, &out->plugins);
        if (key == "pluginConfig") {
          return DecodePluginConfig(field, where, &out->plugin_config);
        }
        if (key == "percentageOfNodesToScore") return absl::OkStatus();
        return FieldError(where, "unknown field");
      });
}

// The score plugins by the names of those for which they stand.
absl::StatusOr<std::vector<WeightedPlugin>> ScorePluginsOf(
    const PluginSets& plugins, const JsonPath& path) {
  std::vector<WeightedPlugin> resolved =
      ResolveScorePlugins(plugins.multi_point, plugins.score);
  std::set<std::string> names;
  for (WeightedPlugin& plugin : resolved) {
    plugin.name = InTreeName(plugin.name);
    if (!names.insert(plugin.name).second) {
      return FieldError(path.Field("plugins"),
                        absl::StrCat(plugin.name, " and Vicinal", plugin.name,
                                     " are both enabled"));
    }
  }
  return resolved;
}

absl::Status CheckEquals(std::string_view field, const std::string& got,
                         std::string_view want) {
  if (got == want) return absl::OkStatus();
  return FieldError(
      JsonPath().Field(field),
      absl::StrCat("must be \"", std::string(want), "\", got \"", got, "\""));
}

}  // namespace

absl::StatusOr<SchedulerConfig> ReadSchedulerConfig(
    std::string_view text, const KubernetesRelease& release) {
  const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be one document, got ", documents->size()));
  }
  SchedulerConfig config;
  config.release = release;
  std::string api_version;
  std::string kind;
  std::vector<RawProfile> profiles;
  const absl::Status read = JsonReader().ReadWith(
      simdjson::padded_string(documents->front()), [&](JsonValue value) {
        return DecodeFields(value, {}, JsonField{"apiVersion", &api_version},
                            JsonField{"kind", &kind},
                            JsonField{"profiles", &profiles},
                            JsonField{"extenders", &config.extenders});
      });
  if (!read.ok()) return read;
  for (const absl::Status& status :
       {CheckEquals("apiVersion", api_version, kApiVersion),
        CheckEquals("kind", kind, kKind)}) {
    if (!status.ok()) return status;
  }
  if (profiles.empty()) profiles.emplace_back();
  if (profiles.size() == 1 && !profiles[0].scheduler_name) {
    profiles[0].scheduler_name = "default-scheduler";
  }
  std::set<std::string> names;
  const JsonPath root;
  const JsonPath list = root.Field("profiles");
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    RawProfile& raw = profiles[i];
    const JsonPath profile = list.Index(i);
    const JsonPath field = profile.Field("schedulerName");
    const std::string name = raw.scheduler_name.value_or("");
    if (name.empty()) return FieldError(field, "required");
    if (!names.insert(name).second) {
      return FieldError(field, "there is a profile \"" + name + "\" already");
    }
    if (absl::Status status = SetRelease(release, profile.Field("pluginConfig"),
                                         raw.plugin_config);
        !status.ok()) {
      return status;
    }
    absl::StatusOr<std::vector<WeightedPlugin>> score =
        ScorePluginsOf(raw.plugins, profile);
    if (!score.ok()) return score.status();
    std::vector<std::string> filters =
        ResolveFilterPlugins(raw.plugins.multi_point, raw.plugins.filter);
    for (std::string& plugin : filters) plugin = InTreeName(plugin);
    config.profiles.push_back({name, *std::move(score), std::move(filters),
                               std::move(raw.plugin_config)});
  }
  return config;
}

}  // namespace vicinal
