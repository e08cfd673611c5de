#include "core/model/object_list.h"

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "core/model/api_resources.h"
#include "core/model/decode.h"
#include "core/model/pod_admission.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

constexpr std::size_t kMaxListDepth = 4;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Finds apiVersion and kind, which may come after anything else, and leaves
// the value unread. Keys are compared as they stand in the text: the parser's
// string buffer has no room for every key twice.
absl::Status ReadTypeMeta(JsonValue value, const JsonPath& path,
                          TypeMeta* out) {
  simdjson::ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    return TypeError(path, "an object", value);
  }
  bool is_empty = true;
  bool has_api_version = false;
  bool has_kind = false;
  for (auto field : object) {
    is_empty = false;
    simdjson::ondemand::raw_json_string key;
    if (const auto error = field.key().get(key)) {
      return SyntaxError(path, error);
    }
    const bool is_api_version = key == "apiVersion";
    if (!is_api_version && key != "kind") continue;
    const std::string_view name = is_api_version ? "apiVersion" : "kind";
    JsonValue text;
    if (const auto error = field.value().get(text)) {
      return SyntaxError(path.Field(name), error);
    }
    if (absl::Status status =
            Decode(text, path.Field(name),
                   is_api_version ? &out->api_version : &out->kind);
        !status.ok()) {
      return status;
    }
    (is_api_version ? has_api_version : has_kind) = true;
    if (has_api_version && has_kind) break;
  }
  // simdjson cannot start an empty object again.
  if (is_empty) return FieldError(path.Field("metadata"), "required");
  if (const auto error = object.reset().error()) {
    return SyntaxError(path, error);
  }
  if (out->kind.empty()) return FieldError(path.Field("kind"), "required");
  return absl::OkStatus();
}

absl::Status Skip(JsonValue value, const JsonPath& path) {
  return ForEachField(value, path,
                      [](std::string_view, JsonValue, const JsonPath&) {
                        return absl::OkStatus();
                      });
}

template <typename Kind>
absl::Status DecodeAs(JsonValue value, const JsonPath& path,
                      std::optional<Object>* out) {
  Kind object;
  if (absl::Status status = Decode(value, path, &object); !status.ok()) {
    return status;
  }
  if constexpr (std::is_same_v<Kind, Pod>) {
    AdmitPod(object);
  } else if constexpr (ApiResourceOf<Kind>().namespaced) {
    std::string& name = object.meta.namespace_name;
    if (name.empty()) name = "default";
  }
  out->emplace(std::move(object));
  return absl::OkStatus();
}

// Finds the objects in lists and lists of lists. A list's items are read one by
// one with a reader of the next depth, whose memory so stays small.
class ListReader {
 public:
  explicit ListReader(const OnObject& on_object) : on_object_(on_object) {}

  // `type`: what the object is if it does not say so itself.
  absl::Status Read(simdjson::padded_string_view json, const JsonPath& path,
                    TypeMeta type = {}, std::size_t depth = 0) {
    return readers_[depth].ReadWith(json, [&](JsonValue value) {
      if (absl::Status status = ReadTypeMeta(value, path, &type);
          !status.ok()) {
        return status;
      }
      if (type.kind.ends_with("List")) {
        return ReadItems(value, path, type, depth);
      }
      return on_object_(type, value, path, json);
    });
  }

 private:
  absl::Status ReadItems(JsonValue list, const JsonPath& path,
                         const TypeMeta& list_type, std::size_t depth) {
    if (depth + 1 == kMaxListDepth) {
      return FieldError(path, "lists in lists are nested too deeply");
    }
    TypeMeta item_type;
    if (list_type.kind != "List") {  // Items of a PodList need not say Pod.
      item_type = list_type;
      item_type.kind.resize(item_type.kind.size() -
                            std::string_view("List").size());
    }
    return ForEachField(
        list, path,
        [&](std::string_view key, JsonValue field, const JsonPath& where) {
          if (key != "items") return absl::OkStatus();
          return ForEachElement(
              field, where, [&](JsonValue item, const JsonPath& there) {
                return ReadItem(item, there, item_type, depth);
              });
        });
  }

  absl::Status ReadItem(JsonValue item, const JsonPath& path,
                        const TypeMeta& type, std::size_t depth) {
    simdjson::ondemand::object object;
    if (item.get_object().get(object) != simdjson::SUCCESS) {
      return TypeError(path, "an object", item);
    }
    std::string_view json;
    if (const auto error = object.raw_json().get(json)) {
      return SyntaxError(path, error);
    }
    // Behind the item comes the rest of a padded text.
    return Read(simdjson::padded_string_view(
                    json, json.size() + simdjson::SIMDJSON_PADDING),
                path, type, depth + 1);
  }

  const OnObject& on_object_;
  std::array<JsonReader, kMaxListDepth> readers_;
};

absl::Status ForEachInYaml(std::string_view text, const OnObject& on_object) {
  absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
  if (!documents.ok()) return documents.status();
  ListReader reader(on_object);
  const JsonPath root;
  const JsonPath all = root.Field("documents");
  for (std::size_t i = 0; i < documents->size(); ++i) {
    std::string& json = (*documents)[i];
    json.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    absl::Status status =
        reader.Read(simdjson::padded_string_view(json),
                    documents->size() == 1 ? root : all.Index(i));
    if (!status.ok()) return status;
    json = std::string();
  }
  return absl::OkStatus();
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  return text;
}

bool IsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

absl::Status DecodeObject(JsonValue value, const JsonPath& path,
                          const TypeMeta& type, std::optional<Object>* out) {
  std::optional<absl::Status> decoded;
  ForEachKind([&]<typename Kind>(Kind*) {
    const ApiResource& resource = ApiResourceOf<Kind>();
    // Without an apiVersion the kind alone tells.
    if (type.kind == resource.kind &&
        (type.api_version.empty() ||
         type.api_version == resource.api_version)) {
      decoded = DecodeAs<Kind>(value, path, out);
    }
  });
  if (decoded) return *decoded;
  out->reset();
  return Skip(value, path);
}

absl::Status ReadOne(JsonReader& reader, simdjson::padded_string_view json,
                     const JsonPath& path, const OnObject& on_object) {
  return reader.ReadWith(json, [&](JsonValue value) {
    TypeMeta type;
    absl::Status found = ReadTypeMeta(value, path, &type);
    return found.ok() ? on_object(type, value, path, json) : found;
  });
}

absl::StatusOr<std::optional<Object>> ReadObject(
    JsonReader& reader, simdjson::padded_string_view json) {
  std::optional<Object> object;
  absl::Status status =
      ReadOne(reader, json, JsonPath(),
              [&object](const TypeMeta& type, JsonValue value,
                        const JsonPath& path, simdjson::padded_string_view) {
                return DecodeObject(value, path, type, &object);
              });
  if (!status.ok()) return status;
  return object;
}

absl::Status ForEachObject(simdjson::padded_string_view text,
                           const OnObject& on_object) {
  const std::string_view plain = WithoutByteOrderMark(text);
  if (!IsJson(plain)) return ForEachInYaml(plain, on_object);
  return ListReader(on_object).Read(
      simdjson::padded_string_view(plain,
                                   plain.size() + simdjson::SIMDJSON_PADDING),
      JsonPath());
}

absl::Status ForEachObject(std::string_view text, const OnObject& on_object) {
  const std::string_view plain = WithoutByteOrderMark(text);
  if (!IsJson(plain)) return ForEachInYaml(plain, on_object);
  const simdjson::padded_string padded(plain);
  return ForEachObject(simdjson::padded_string_view(padded), on_object);
}

}  // namespace vicinal
