#include "core/plugins/plugin_entry.h"

#include <string_view>

namespace vicinal {

absl::Status Decode(JsonValue value, const JsonPath& path, PluginEntry* out) {
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

}  // namespace vicinal
