#include "core/deschedule/selector_text.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

using Operator = Requirement::Operator;

std::string Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(
      text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// At commas that are not between parentheses.
std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

absl::Status Malformed(const std::string& part) {
  return absl::InvalidArgumentError(
      absl::StrCat("cannot read ", Quoted(part), " as a label selector"));
}

absl::StatusOr<Requirement> ParseRequirement(const std::string& part) {
  std::string_view rest = part;
  if (rest.starts_with('!')) {
    return Requirement::Create(Trimmed(rest.substr(1)), Operator::kDoesNotExist,
                               {});
  }
  const std::size_t sign = rest.find('=');
  if (sign != std::string_view::npos && rest.find('(') > sign) {
    const bool differs = sign > 0 && rest[sign - 1] == '!';
    const std::size_t key_end = differs ? sign - 1 : sign;
    std::size_t value = sign + 1;
    if (!differs && value < rest.size() && rest[value] == '=') ++value;
    return Requirement::Create(Trimmed(rest.substr(0, key_end)),
                               differs ? Operator::kNotIn : Operator::kIn,
                               {Trimmed(rest.substr(value))});
  }
  const std::size_t space = rest.find_first_of(" \t");
  if (space == std::string_view::npos) {
    return Requirement::Create(part, Operator::kExists, {});
  }
  const std::size_t open = rest.find('(');
  if (open == std::string_view::npos || !rest.ends_with(')') || open < space) {
    return Malformed(part);
  }
  const std::string word = Trimmed(rest.substr(space, open - space));
  if (word != "in" && word != "notin") return Malformed(part);
  std::vector<std::string> values;
  for (const std::string& value :
       Split(rest.substr(open + 1, rest.size() - open - 2))) {
    values.push_back(Trimmed(value));
  }
  return Requirement::Create(std::string(rest.substr(0, space)),
                             word == "in" ? Operator::kIn : Operator::kNotIn,
                             std::move(values));
}

}  // namespace

absl::StatusOr<Selector> ParseSelectorText(std::string_view text) {
  std::vector<Requirement> requirements;
  if (Trimmed(text).empty()) return Selector::Everything();
  for (const std::string& part : Split(text)) {
    const std::string trimmed = Trimmed(part);
    if (trimmed.empty()) return Malformed(std::string(text));
    absl::StatusOr<Requirement> requirement = ParseRequirement(trimmed);
    if (!requirement.ok()) return requirement.status();
    requirements.push_back(*std::move(requirement));
  }
  return Selector(std::move(requirements));
}

}  // namespace vicinal
