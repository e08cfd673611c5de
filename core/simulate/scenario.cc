#include "core/simulate/scenario.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

absl::Status UnknownField(const JsonPath& path) {
  return FieldError(path, "is no field of a scenario");
}

// Reads the given fields; any other is an error.
template <typename... T>
absl::Status DecodeStrictly(JsonValue value, const JsonPath& path,
                            const JsonField<T>&... fields) {
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        absl::Status status;
        const bool known =
            ((key == fields.name &&
              (status = Decode(field, where, fields.out), true)) ||
             ...);
        return known ? status : UnknownField(where);
      });
}

}  // namespace

// Static, not in the unnamed namespace, where argument-dependent lookup would
// not see them.
static absl::Status Decode(JsonValue value, const JsonPath& path, PodSet* out) {
  absl::Status status =
      DecodeStrictly(value, path, JsonField{"namespace", &out->namespace_name},
                     JsonField{"labels", &out->labels});
  if (!status.ok()) return status;
  if (out->namespace_name.empty()) {
    return FieldError(path.Field("namespace"), "required");
  }
  if (out->labels.empty()) return FieldError(path.Field("labels"), "required");
  return absl::OkStatus();
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           std::map<std::string, std::int64_t>* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        return Decode(field, where, &(*out)[std::string(key)]);
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           WhereClaim* out) {
  absl::Status status = DecodeStrictly(
      value, path, JsonField{"topologyKey", &out->topology_key},
      JsonField{"counts", &out->counts}, JsonField{"oneOf", &out->one_of},
      JsonField{"beside", &out->beside});
  if (!status.ok()) return status;
  const int ways = (out->counts.empty() ? 0 : 1) +
                   (out->one_of.empty() ? 0 : 1) + (out->beside ? 1 : 0);
  if (out->topology_key.empty() || ways != 1) {
    return FieldError(path,
                      "topologyKey and exactly one of counts, oneOf and beside "
                      "are required");
  }
  return absl::OkStatus();
}

namespace {

struct Message {
  std::string reasons;
  std::string preemption;  // The simulator preempts nobody.
};

}  // namespace

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           Message* out) {
  return DecodeStrictly(value, path, JsonField{"reasons", &out->reasons},
                        JsonField{"preemption", &out->preemption});
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           Expectation* out) {
  std::optional<PodSet> pods;
  std::optional<Message> message;
  absl::Status status = DecodeStrictly(
      value, path, JsonField{"pods", &pods},
      JsonField{"running", &out->running}, JsonField{"pending", &out->pending},
      JsonField{"where", &out->where}, JsonField{"unmoved", &out->unmoved},
      JsonField{"message", &message});
  if (!status.ok()) return status;
  if (!pods) return FieldError(path.Field("pods"), "required");
  out->pods = *std::move(pods);
  if (message) out->reasons = std::move(message->reasons);
  return absl::OkStatus();
}

namespace {

// `{deployment: web, namespace: shop, replicas: 3}`, or of delete
// `{pods: {namespace: shop, labels: {…}}}`.
absl::Status DecodeTarget(JsonValue value, const JsonPath& path,
                          Action* action) {
  absl::Status status = ForEachField(
      value, path,
      [action](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "namespace") {
          return Decode(field, where, &action->target.namespace_name);
        }
        if (key == "replicas" && action->verb == Verb::kScale) {
          return Decode(field, where, &*action->count);
        }
        if (key == "pods" && action->verb == Verb::kDelete) {
          action->target.kind = "pods";
          return DecodeStrictly(
              field, where,
              JsonField{"namespace", &action->target.namespace_name},
              JsonField{"labels", &action->target.labels},
              JsonField{"node", &action->target.node});
        }
        if (!action->target.kind.empty()) return UnknownField(where);
        action->target.kind = key;
        return Decode(field, where, &action->target.name);
      });
  if (!status.ok()) return status;
  if (action->target.name.empty() && action->target.labels.empty()) {
    return FieldError(path, "must name a workload: {deployment: web}");
  }
  action->text =
      absl::StrCat(action->text, " ", action->target.kind,
                   action->target.name.empty() ? "" : "/", action->target.name);
  if (action->verb == Verb::kScale) {
    absl::StrAppend(&action->text, "=", *action->count);
  }
  if (*action->count < 0) {
    return FieldError(path.Field("replicas"), "must not be negative");
  }
  return absl::OkStatus();
}

// The value of a key that is a verb.
class ActionReader {
 public:
  explicit ActionReader(std::string_view namespace_name)
      : namespace_name_(namespace_name) {}

  absl::Status Read(std::string_view verb, JsonValue value,
                    const JsonPath& path, std::vector<Action>* actions) const {
    simdjson::ondemand::json_type type;
    if (const auto error = value.type().get(type)) {
      return SyntaxError(path, error);
    }
    if (type == simdjson::ondemand::json_type::object) {
      return ReadTarget(verb, value, path, actions);
    }
    if (type != simdjson::ondemand::json_type::array) {
      return ReadWords(verb, value, path, actions);
    }
    if (verb == "apply") return ReadFiles(value, path, actions);
    return ForEachElement(value, path,
                          [&](JsonValue element, const JsonPath& where) {
                            return ReadWords(verb, element, where, actions);
                          });
  }

 private:
  absl::Status ReadTarget(std::string_view verb, JsonValue value,
                          const JsonPath& path,
                          std::vector<Action>* actions) const {
    Action action;
    action.verb = VerbFromWord(verb).value();
    if (action.verb != Verb::kScale && action.verb != Verb::kDelete &&
        action.verb != Verb::kRollout && action.verb != Verb::kReschedule) {
      return TypeError(path, "text", value);
    }
    action.text = verb;
    action.target.namespace_name = namespace_name_;
    absl::Status status = DecodeTarget(value, path, &action);
    actions->push_back(std::move(action));
    return status;
  }

  absl::Status ReadFiles(JsonValue value, const JsonPath& path,
                         std::vector<Action>* actions) const {
    Action action;
    action.verb = Verb::kApply;
    absl::Status status = Decode(value, path, &action.files);
    action.text = absl::StrCat("apply ", absl::StrJoin(action.files, " "));
    actions->push_back(std::move(action));
    return status;
  }

  absl::Status ReadWords(std::string_view verb, JsonValue value,
                         const JsonPath& path,
                         std::vector<Action>* actions) const {
    std::string text;
    if (absl::Status status = Decode(value, path, &text); !status.ok()) {
      return status;
    }
    std::vector<std::string> words =
        absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    words.insert(words.begin(), std::string(verb));
    std::size_t used = 0;
    absl::StatusOr<Action> action = ParseAction(words, namespace_name_, &used);
    if (!action.ok()) {
      return FieldError(path, std::string(action.status().message()));
    }
    if (used != words.size()) {
      return FieldError(
          path, absl::StrCat("\"", words[used], "\" is more than it takes"));
    }
    actions->push_back(*std::move(action));
    return absl::OkStatus();
  }

  const std::string namespace_name_;
};

absl::Status DecodeStep(JsonValue value, const JsonPath& path,
                        const ActionReader& reader, Step* out) {
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "expect") return Decode(field, where, &out->expect);
        if (VerbFromWord(key))
          return reader.Read(key, field, where, &out->actions);
        return UnknownField(where);
      });
  if (!status.ok()) return status;
  if (out->actions.empty() && out->expect.empty()) {
    return FieldError(path, "has neither an action nor expect");
  }
  if (out->name.empty() && !out->actions.empty()) {
    out->name = out->actions.front().text;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Scenario> ReadScenario(std::string_view text,
                                      std::string_view namespace_name) {
  absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a scenario is one YAML document, not ", documents->size()));
  }
  const ActionReader actions(namespace_name);
  Scenario scenario;
  JsonReader reader;
  const simdjson::padded_string json(documents->front());
  absl::Status status = reader.ReadWith(json, [&](JsonValue root) {
    return ForEachField(
        root, JsonPath(),
        [&](std::string_view key, JsonValue field, const JsonPath& where) {
          if (key == "description") {
            return Decode(field, where, &scenario.description);
          }
          if (key == "cluster") return Decode(field, where, &scenario.cluster);
          if (key != "steps") return UnknownField(where);
          return ForEachElement(
              field, where, [&](JsonValue element, const JsonPath& there) {
                return DecodeStep(element, there, actions,
                                  &scenario.steps.emplace_back());
              });
        });
  });
  if (!status.ok()) return status;
  if (scenario.steps.empty()) {
    return FieldError(JsonPath().Field("steps"), "required");
  }
  return scenario;
}

}  // namespace vicinal
