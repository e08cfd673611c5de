#include "server/listeners/extender/binding_args.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "core/model/json.h"
#include "core/model/json_writer.h"

namespace vicinal {

// Not in the unnamed namespace, where the templates of json.h would not find
// it.
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           BindingArgs* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        const auto is = [name = absl::string_view(key.data(), key.size())](
                            absl::string_view wanted) {
          return absl::EqualsIgnoreCase(name, wanted);
        };
        if (is("PodName")) return Decode(field, where, &out->pod_name);
        if (is("PodNamespace")) {
          return Decode(field, where, &out->pod_namespace);
        }
        if (is("PodUID")) return Decode(field, where, &out->pod_uid);
        if (is("Node")) return Decode(field, where, &out->node);
        return absl::OkStatus();
      });
}

namespace {

constexpr std::size_t kMaxNameLength = 253;

// Lower case letters, digits, - and . (a DNS subdomain has no others).
bool IsName(std::string_view text) {
  return text.size() <= kMaxNameLength && text.front() != '.' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '.';
         });
}

}  // namespace

absl::Status CheckObjectName(const char* field, const std::string& value) {
  const JsonPath root;
  const JsonPath path = root.Field(field);
  if (value.empty()) return FieldError(path, "required");
  if (IsName(value)) return absl::OkStatus();
  std::string problem = "must be the name of an object, got ";
  AppendJsonString(value, problem);
  return FieldError(path, problem);
}

absl::StatusOr<BindingArgs> ReadBindingArgs(std::string_view body) {
  JsonReader reader;
  const simdjson::padded_string_view json(
      body.data(), body.size(), body.size() + simdjson::SIMDJSON_PADDING);
  absl::StatusOr<BindingArgs> args = reader.Read<BindingArgs>(json);
  if (!args.ok()) return args.status();
  for (const absl::Status& status :
       {CheckObjectName("PodName", args->pod_name),
        CheckObjectName("PodNamespace", args->pod_namespace),
        CheckObjectName("Node", args->node)}) {
    if (!status.ok()) return status;
  }
  if (args->pod_uid.empty()) {
    return FieldError(JsonPath().Field("PodUID"), "required");
  }
  return args;
}

std::string BindingResultJson(std::string_view error) {
  std::string json = R"({"Error":)";
  AppendJsonString(error, json);
  json += '}';
  return json;
}

}  // namespace vicinal
