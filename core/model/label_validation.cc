#include "core/model/label_validation.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

constexpr std::size_t kMaxNameLength = 63;
constexpr std::size_t kMaxSubdomainLength = 253;

constexpr char kNameRule[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
    "'123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kValueRule[] =
    "a valid label must be an empty string or consist of alphanumeric "
    "characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr char kSubdomainRule[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool IsAlphanumeric(char c) {
  return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z');
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool IsName(std::string_view name) {
  return !name.empty() && IsAlphanumeric(name.front()) &&
         IsAlphanumeric(name.back()) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}

// Labels of [a-z0-9]([-a-z0-9]*[a-z0-9])? joined by dots.
bool IsSubdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    if (label.empty() || !IsLowerOrDigit(label.front()) ||
        !IsLowerOrDigit(label.back()) ||
        !std::all_of(label.begin(), label.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; })) {
      return false;
    }
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

std::vector<std::string> LabelKeyErrors(std::string_view key) {
  std::vector<std::string> errors;
  const std::size_t slash = key.find('/');
  std::string_view name = key;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {absl::StrCat("a valid label key ", kNameRule,
                           " with an optional DNS subdomain prefix and '/' "
                           "(e.g. 'example.com/MyName')")};
    }
    if (prefix.empty()) {
      errors.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kMaxSubdomainLength) {
        errors.push_back(absl::StrCat("prefix part must be no more than ",
                                      kMaxSubdomainLength, " bytes"));
      }
      if (!IsSubdomain(prefix)) {
        errors.push_back(absl::StrCat("prefix part ", kSubdomainRule));
      }
    }
  }
  if (name.empty()) {
    errors.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxNameLength) {
    errors.push_back(absl::StrCat("name part must be no more than ",
                                  kMaxNameLength, " bytes"));
  }
  if (!IsName(name)) errors.push_back(absl::StrCat("name part ", kNameRule));
  return errors;
}

std::vector<std::string> LabelValueErrors(std::string_view value) {
  std::vector<std::string> errors;
  if (value.size() > kMaxNameLength) {
    errors.push_back(
        absl::StrCat("must be no more than ", kMaxNameLength, " bytes"));
  }
  if (!value.empty() && !IsName(value)) errors.emplace_back(kValueRule);
  return errors;
}

}  // namespace vicinal
