#include "core/model/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>

#include "absl/status/status.h"
#include "core/model/json_writer.h"

namespace vicinal {
namespace {

constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsOneOf(std::string_view text,
             std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::optional<YamlScalar> FindWord(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (IsOneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE",
                     "on", "On", "ON"})) {
    return true;
  }
  if (IsOneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE",
                     "off", "Off", "OFF"})) {
    return false;
  }
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (IsOneOf(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    return kInfinity;
  }
  if (IsOneOf(text, {"-.inf", "-.Inf", "-.INF"})) return -kInfinity;
  return std::nullopt;
}

// Go's strconv.ParseInt and ParseUint with base 0: a sign (which excludes what
// only an unsigned number can hold), a prefix 0b, 0o, 0x or 0, and digits.
std::optional<YamlScalar> ParseInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = text.size() > 2 ? static_cast<char>(text[1] | 0x20) : 0;
    base = prefix == 'b' ? 2 : prefix == 'x' ? 16 : 8;
    text.remove_prefix(prefix == 'b' || prefix == 'x' || prefix == 'o' ? 2 : 1);
  }
  std::uint64_t magnitude = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, magnitude, base);
  if (error != std::errc() || end != last) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (negative) {
    if (magnitude > kMax + 1) return std::nullopt;
    return static_cast<std::int64_t>(-magnitude);
  }
  if (magnitude <= kMax) return static_cast<std::int64_t>(magnitude);
  if (has_sign) return std::nullopt;
  return magnitude;
}

std::size_t CountDigits(std::string_view text) {
  return static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool IsFloat(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = CountDigits(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = CountDigits(text);
    text.remove_prefix(fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && CountDigits(text) == text.size();
}

std::optional<double> ParseFloat(std::string_view text) {
  if (!IsFloat(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

// What the text means by itself.
YamlScalar ResolveUntagged(std::string_view text) {
  if (const auto word = FindWord(text)) return *word;
  const char first = text.front();
  if (!IsDigit(first) && first != '+' && first != '-' && first != '.') {
    return text;
  }
  std::string plain(text);
  if (first != '.') {
    std::erase(plain, '_');
    if (const auto integer = ParseInteger(plain)) return *integer;
  }
  if (const auto number = ParseFloat(plain)) return *number;
  return text;
}

std::string_view TypeName(const YamlScalar& scalar) {
  static constexpr std::string_view kNames[] = {"null", "bool",  "int",
                                                "int",  "float", "str"};
  return kNames[scalar.index()];
}

// The shortest text that reads back as the same number.
template <typename Float>
std::string Shortest(Float number, std::chars_format format) {
  char buffer[400];  // Fixed notation of the largest double has 309 digits.
  const auto [end, error] =
      std::to_chars(std::begin(buffer), std::end(buffer), number, format);
  return error == std::errc() ? std::string(buffer, end) : std::string();
}

}  // namespace

absl::StatusOr<YamlScalar> ResolveYamlScalar(std::string_view tag,
                                             std::string_view text) {
  if (tag.empty()) return ResolveUntagged(text);
  if (!tag.starts_with(kStandardTag)) return text;
  const std::string_view type = tag.substr(kStandardTag.size());
  if (!IsOneOf(type, {"null", "bool", "int", "float"})) return text;
  const YamlScalar scalar = ResolveUntagged(text);
  if (TypeName(scalar) == type) return scalar;
  if (const auto* integer = std::get_if<std::int64_t>(&scalar);
      integer != nullptr && type == "float") {
    return static_cast<double>(*integer);
  }
  return absl::InvalidArgumentError("cannot read `" + std::string(text) +
                                    "` as a !!" + std::string(type));
}

absl::StatusOr<std::string> ToJson(const YamlScalar& scalar) {
  if (const auto* text = std::get_if<std::string_view>(&scalar)) {
    std::string json;
    AppendJsonString(*text, json);
    return json;
  }
  if (const auto* number = std::get_if<double>(&scalar)) {
    if (!std::isfinite(*number)) {
      return absl::InvalidArgumentError("a number must be finite");
    }
    // As Go's encoding/json chooses the notation.
    const double magnitude = std::fabs(*number);
    const bool fixed =
        magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e21);
    return Shortest(*number, fixed ? std::chars_format::fixed
                                   : std::chars_format::scientific);
  }
  if (const auto* flag = std::get_if<bool>(&scalar)) {
    return *flag ? "true" : "false";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return std::to_string(*integer);
  }
  if (const auto* integer = std::get_if<std::uint64_t>(&scalar)) {
    return std::to_string(*integer);
  }
  return "null";
}

absl::StatusOr<std::string> ToJsonKey(const YamlScalar& scalar) {
  if (const auto* text = std::get_if<std::string_view>(&scalar)) {
    return std::string(*text);
  }
  if (std::holds_alternative<std::nullptr_t>(scalar)) {
    return absl::InvalidArgumentError("a key must not be null");
  }
  if (std::holds_alternative<std::uint64_t>(scalar)) {
    return absl::InvalidArgumentError("a key must not be a number this large");
  }
  if (const auto* number = std::get_if<double>(&scalar)) {
    const auto rounded = static_cast<float>(*number);  // As upstream does.
    if (std::isnan(rounded)) return ".nan";
    if (std::isinf(rounded)) return rounded > 0 ? ".inf" : "-.inf";
    return Shortest(rounded, std::chars_format::general);
  }
  return ToJson(scalar);
}

}  // namespace vicinal
