#include "core/model/node_selector.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

constexpr std::string_view kNameField = "metadata.name";

std::optional<Requirement::Operator> ParseOperator(std::string_view op) {
  if (op == "In") return Requirement::Operator::kIn;
  if (op == "NotIn") return Requirement::Operator::kNotIn;
  if (op == "Exists") return Requirement::Operator::kExists;
  if (op == "DoesNotExist") return Requirement::Operator::kDoesNotExist;
  if (op == "Gt") return Requirement::Operator::kGreaterThan;
  if (op == "Lt") return Requirement::Operator::kLessThan;
  return std::nullopt;
}

std::string Element(std::string_view path, const char* field, std::size_t i) {
  std::string element(path);
  if (!element.empty()) element += '.';
  absl::StrAppend(&element, field, "[", i, "]");
  return element;
}

}  // namespace

bool IsEmpty(const NodeSelectorTerm& term) {
  return term.match_expressions.empty() && term.match_fields.empty();
}

absl::StatusOr<ParsedNodeSelectorTerm> ParsedNodeSelectorTerm::Parse(
    const NodeSelectorTerm& term, std::string_view path) {
  std::vector<std::string> errors;
  std::optional<ParsedNodeSelectorTerm> parsed = Parse(term, path, errors);
  if (!parsed) return absl::InvalidArgumentError(AggregateError(errors));
  return *std::move(parsed);
}

std::optional<ParsedNodeSelectorTerm> ParsedNodeSelectorTerm::Parse(
    const NodeSelectorTerm& term, std::string_view path,
    std::vector<std::string>& errors) {
  const std::size_t errors_before = errors.size();
  ParsedNodeSelectorTerm parsed;
  std::vector<Requirement> requirements;
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const NodeSelectorRequirement& expression = term.match_expressions[i];
    const std::string where = Element(path, "matchExpressions", i);
    const auto op = ParseOperator(expression.op);
    if (!op) {
      errors.push_back(UnsupportedValue(
          where + ".operator", expression.op,
          {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}));
      continue;
    }
    std::optional<Requirement> requirement = Requirement::Create(
        expression.key, *op, expression.values, where, errors);
    if (requirement) requirements.push_back(*std::move(requirement));
  }
  parsed.labels_ = Selector(std::move(requirements));
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    const NodeSelectorRequirement& field = term.match_fields[i];
    const std::string where = Element(path, "matchFields", i);
    if (field.op != "In" && field.op != "NotIn") {
      errors.push_back(
          UnsupportedValue(where + ".operator", field.op, {"In", "NotIn"}));
    } else if (field.values.size() != 1) {
      errors.push_back(InvalidValue(where + ".values", QuotedList(field.values),
                                    "must have one element"));
    } else {
      parsed.fields_.push_back(
          {field.key, field.values.front(), field.op == "In"});
    }
  }
  if (errors.size() > errors_before) return std::nullopt;
  return parsed;
}

bool ParsedNodeSelectorTerm::Matches(const Labels& node_labels,
                                     std::string_view node_name) const {
  if (!labels_.Matches(node_labels)) return false;
  // Upstream: a node without a name has no fields, and fields are not asked.
  if (node_name.empty()) return true;
  return std::all_of(
      fields_.begin(), fields_.end(), [&](const FieldRequirement& field) {
        // A field that does not exist has the value "".
        const std::string_view value = field.key == kNameField ? node_name : "";
        return (value == field.value) == field.equal;
      });
}

LenientNodeSelector::LenientNodeSelector(const NodeSelector& selector) {
  for (const NodeSelectorTerm& term : selector) {
    if (IsEmpty(term)) continue;
    absl::StatusOr<ParsedNodeSelectorTerm> parsed =
        ParsedNodeSelectorTerm::Parse(term, "");
    if (parsed.ok()) terms_.push_back(*std::move(parsed));
  }
}

bool LenientNodeSelector::Matches(const Labels& node_labels,
                                  std::string_view node_name) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const auto& term) {
    return term.Matches(node_labels, node_name);
  });
}

RequiredNodeAffinity::RequiredNodeAffinity(
    const std::optional<Labels>& node_selector,
    const std::optional<NodeAffinity>& affinity)
    : labels_(Selector::FromSet(node_selector.value_or(Labels()))) {
  if (affinity && affinity->required) terms_.emplace(*affinity->required);
}

bool RequiredNodeAffinity::Matches(const Labels& node_labels,
                                   std::string_view node_name) const {
  return labels_.Matches(node_labels) &&
         (!terms_ || terms_->Matches(node_labels, node_name));
}

absl::StatusOr<PreferredSchedulingTerms> PreferredSchedulingTerms::Parse(
    const std::vector<PreferredSchedulingTerm>& terms, std::string_view path) {
  PreferredSchedulingTerms parsed;
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].weight == 0 || IsEmpty(terms[i].preference)) continue;
    std::optional<ParsedNodeSelectorTerm> term = ParsedNodeSelectorTerm::Parse(
        terms[i].preference,
        absl::StrCat(absl::string_view(path.data(), path.size()), "[", i, "]"),
        errors);
    if (term) parsed.terms_.push_back({*std::move(term), terms[i].weight});
  }
  if (!errors.empty()) {
    return absl::InvalidArgumentError(AggregateError(errors));
  }
  return parsed;
}

std::int64_t PreferredSchedulingTerms::Score(const Labels& node_labels,
                                             std::string_view node_name) const {
  std::int64_t score = 0;
  for (const Term& term : terms_) {
    if (term.term.Matches(node_labels, node_name)) score += term.weight;
  }
  return score;
}

}  // namespace vicinal
