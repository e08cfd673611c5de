#include "server/listeners/extender/extender_args.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/pod_admission.h"

namespace vicinal {
namespace {

struct RawArgs {
  std::optional<Pod> pod;
  std::optional<std::vector<std::string_view>> node_names;
  bool dry_run = false;
};

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) {
                      return std::tolower(x) == std::tolower(y);
                    });
}

// The string at these fields, one within the other.
absl::Status DecodeAt(JsonValue value, const JsonPath& path,
                      std::span<const std::string_view> fields,
                      std::string* out) {
  if (IsNull(value)) return absl::OkStatus();
  if (fields.empty()) return Decode(value, path, out);
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        return EqualIgnoringCase(key, fields[0])
                   ? DecodeAt(field, where, fields.subspan(1), out)
                   : absl::OkStatus();
      });
}

// What the model of a pod does not have.
struct PodGroupName {
  std::string name;
};

absl::Status Decode(JsonValue value, const JsonPath& path, PodGroupName* out) {
  constexpr std::string_view kFields[] = {"Pod", "spec", "schedulingGroup",
                                          "podGroupName"};
  return DecodeAt(value, path, kFields, &out->name);
}

// The names without copies.
absl::Status DecodeNames(JsonValue value, const JsonPath& path,
                         std::optional<std::vector<std::string_view>>* out) {
  if (IsNull(value)) {
    out->reset();
    return absl::OkStatus();
  }
  std::vector<std::string_view>& names = out->emplace();
  return ForEachElement(value, path,
                        [&names](JsonValue element, const JsonPath& where) {
                          std::string_view& name = names.emplace_back();
                          if (IsNull(element)) return absl::OkStatus();
                          const auto error = element.get_string().get(name);
                          if (error == simdjson::SUCCESS)
                            return absl::OkStatus();
                          return error == simdjson::INCORRECT_TYPE
                                     ? TypeError(where, "a string", element)
                                     : SyntaxError(where, error);
                        });
}

absl::Status Decode(JsonValue value, const JsonPath& path, RawArgs* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (EqualIgnoringCase(key, "Pod")) {
          return Decode(field, where, &out->pod);
        }
        if (EqualIgnoringCase(key, "NodeNames")) {
          return DecodeNames(field, where, &out->node_names);
        }
        if (EqualIgnoringCase(key, "DryRun")) {
          return Decode(field, where, &out->dry_run);
        }
        return absl::OkStatus();
      });
}

}  // namespace

absl::StatusOr<ExtenderArgs> ReadExtenderArgs(std::string_view body,
                                              JsonReader& reader) {
  const simdjson::padded_string_view json(
      body.data(), body.size(), body.size() + simdjson::SIMDJSON_PADDING);
  absl::StatusOr<RawArgs> raw = reader.Read<RawArgs>(json);
  if (!raw.ok()) return raw.status();
  if (!raw->pod) return FieldError(JsonPath().Field("Pod"), "required");
  if (!raw->node_names) {
    return FieldError(JsonPath().Field("NodeNames"),
                      "required (the extender must be configured with "
                      "nodeCacheCapable: true)");
  }
  PodGroupName group;
  // Few pods have one, so it is looked for only if it may be there.
  if (body.find(R"("schedulingGroup")") != std::string_view::npos) {
    JsonReader other;
    absl::StatusOr<PodGroupName> found = other.Read<PodGroupName>(json);
    if (!found.ok()) return found.status();
    group = *std::move(found);
  }
  AdmitPod(*raw->pod);
  if (raw->dry_run) raw->pod->meta.uid.clear();
  if (!group.name.empty()) {
    group.name = raw->pod->meta.namespace_name + "/" + group.name;
  }
  return ExtenderArgs{*std::move(raw->pod), *std::move(raw->node_names),
                      std::move(group.name)};
}

}  // namespace vicinal
