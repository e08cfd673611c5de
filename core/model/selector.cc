#include "core/model/selector.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/model/field_error.h"
#include "core/model/label_validation.h"

namespace vicinal {
namespace {

// Go's strconv.ParseInt(text, 10, 64): an optional sign, then digits only.
std::optional<std::int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::string Child(std::string_view path, std::string_view field) {
  return path.empty() ? std::string(field)
                      : std::string(path) + "." + std::string(field);
}

}  // namespace

absl::StatusOr<Requirement> Requirement::Create(std::string key, Operator op,
                                                std::vector<std::string> values,
                                                std::string_view path) {
  std::vector<std::string> errors;
  std::optional<Requirement> requirement =
      Create(std::move(key), op, std::move(values), path, errors);
  if (!requirement) return absl::InvalidArgumentError(AggregateError(errors));
  return *std::move(requirement);
}

std::optional<Requirement> Requirement::Create(
    std::string key, Operator op, std::vector<std::string> values,
    std::string_view path, std::vector<std::string>& errors) {
  const std::size_t errors_before = errors.size();
  if (const auto wrong = LabelKeyErrors(key); !wrong.empty()) {
    errors.push_back(InvalidValue(Child(path, "key"), Quoted(key),
                                  absl::StrJoin(wrong, "; ")));
  }
  const std::string values_path = Child(path, "values");
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (values.empty()) {
        errors.push_back(InvalidValue(
            values_path, QuotedList(values),
            "for 'in', 'notin' operators, values set can't be empty"));
      }
      break;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (!values.empty()) {
        errors.push_back(
            InvalidValue(values_path, QuotedList(values),
                         "values set must be empty for exists and does not "
                         "exist"));
      }
      break;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      if (values.size() != 1) {
        errors.push_back(InvalidValue(
            values_path, QuotedList(values),
            "for 'Gt', 'Lt' operators, exactly one value is required"));
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (!ParseInt(values[i])) {
          errors.push_back(InvalidValue(
              absl::StrCat(values_path, "[", i, "]"), Quoted(values[i]),
              "for 'Gt', 'Lt' operators, the value must be an integer"));
        }
      }
      break;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const auto wrong = LabelValueErrors(values[i]); !wrong.empty()) {
      errors.push_back(
          InvalidValue(absl::StrCat(values_path, "[", i, "][", key, "]"),
                       Quoted(values[i]), absl::StrJoin(wrong, "; ")));
    }
  }
  if (errors.size() > errors_before) return std::nullopt;
  return Requirement(std::move(key), op, std::move(values));
}

Requirement Requirement::Equals(std::string key, std::string value) {
  return Requirement(std::move(key), Operator::kIn, {std::move(value)});
}

bool Requirement::MatchesValue(const std::string* value) const {
  switch (op_) {
    case Operator::kIn:
      return value != nullptr &&
             std::find(values_.begin(), values_.end(), *value) != values_.end();
    case Operator::kNotIn:
      return value == nullptr ||
             std::find(values_.begin(), values_.end(), *value) == values_.end();
    case Operator::kExists:
      return value != nullptr;
    case Operator::kDoesNotExist:
      return value == nullptr;
    case Operator::kGreaterThan:
    case Operator::kLessThan: {
      if (value == nullptr) return false;
      const std::optional<std::int64_t> have = ParseInt(*value);
      const std::optional<std::int64_t> bound = ParseInt(values_.front());
      if (!have || !bound) return false;
      return op_ == Operator::kGreaterThan ? *have > *bound : *have < *bound;
    }
  }
  return false;
}

Selector Selector::FromSet(const Labels& set) {
  std::vector<Requirement> requirements;
  requirements.reserve(set.size());
  for (const auto& [key, value] : set) {
    requirements.push_back(Requirement::Equals(key, value));
  }
  return Selector(std::move(requirements));
}

void Selector::Add(const std::vector<Requirement>& requirements) {
  if (nothing_) return;
  requirements_.insert(requirements_.end(), requirements.begin(),
                       requirements.end());
}

}  // namespace vicinal
