#include "core/model/field_error.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/model/json_writer.h"

namespace vicinal {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      case '\a':
        quoted += "\\a";
        break;
      case '\b':
        quoted += "\\b";
        break;
      case '\f':
        quoted += "\\f";
        break;
      case '\v':
        quoted += "\\v";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          char escaped[5];
          std::snprintf(escaped, sizeof escaped, "\\x%02x",
                        static_cast<unsigned>(c));
          quoted += escaped;
        } else {
          quoted += c;
        }
    }
  }
  quoted += '"';
  return quoted;
}

std::string QuotedList(const std::vector<std::string>& values) {
  if (values.empty()) return "null";
  std::string list;
  for (const std::string& value : values) {
    list += list.empty() ? '[' : ',';
    AppendJsonString(value, list);
  }
  list += ']';
  return absl::StrReplaceAll(
      list, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

std::string InvalidValue(std::string_view path, std::string_view rendered_value,
                         std::string_view detail) {
  std::string text(path);
  text.append(": Invalid value: ").append(rendered_value);
  text.append(": ").append(detail);
  return text;
}

std::string UnsupportedValue(std::string_view path, std::string_view value,
                             const std::vector<std::string_view>& supported) {
  std::string text(path);
  text += ": Unsupported value: " + Quoted(value) + ": supported values: ";
  for (std::size_t i = 0; i < supported.size(); ++i) {
    if (i > 0) text += ", ";
    text += Quoted(supported[i]);
  }
  return text;
}

std::string AggregateError(const std::vector<std::string>& errors) {
  std::vector<std::string> distinct;
  for (const std::string& error : errors) {
    if (std::find(distinct.begin(), distinct.end(), error) == distinct.end()) {
      distinct.push_back(error);
    }
  }
  if (distinct.size() == 1) return distinct.front();
  return absl::StrCat("[", absl::StrJoin(distinct, ", "), "]");
}

}  // namespace vicinal
