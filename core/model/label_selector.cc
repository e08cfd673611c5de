#include "core/model/label_selector.h"

#include "absl/status/status.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

std::optional<Requirement::Operator> ParseOperator(const std::string& op) {
  if (op == "In") return Requirement::Operator::kIn;
  if (op == "NotIn") return Requirement::Operator::kNotIn;
  if (op == "Exists") return Requirement::Operator::kExists;
  if (op == "DoesNotExist") return Requirement::Operator::kDoesNotExist;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Selector> AsSelector(
    const std::optional<LabelSelector>& selector) {
  if (!selector.has_value()) return Selector::Nothing();
  std::vector<Requirement> requirements;
  const auto add = [&](std::string key, Requirement::Operator op,
                       std::vector<std::string> values) -> absl::Status {
    absl::StatusOr<Requirement> requirement =
        Requirement::Create(std::move(key), op, std::move(values));
    if (!requirement.ok()) return requirement.status();
    requirements.push_back(*std::move(requirement));
    return absl::OkStatus();
  };
  for (const auto& [key, value] : selector->match_labels) {
    if (absl::Status status = add(key, Requirement::Operator::kIn, {value});
        !status.ok()) {
      return status;
    }
  }
  for (const LabelSelectorRequirement& expression :
       selector->match_expressions) {
    const std::optional<Requirement::Operator> op =
        ParseOperator(expression.op);
    if (!op) {
      return absl::InvalidArgumentError(
          Quoted(expression.op) + " is not a valid label selector operator");
    }
    if (absl::Status status = add(expression.key, *op, expression.values);
        !status.ok()) {
      return status;
    }
  }
  return Selector(std::move(requirements));
}

}  // namespace vicinal
