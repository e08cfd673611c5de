#include "core/index/canonical_key.h"

#include <charconv>

namespace vicinal {
namespace {

void AppendRequirements(
    const std::vector<NodeSelectorRequirement>& requirements,
    std::string& key) {
  AppendKey(requirements.size(), key);
  for (const NodeSelectorRequirement& requirement : requirements) {
    AppendKey(requirement.key, key);
    AppendKey(requirement.op, key);
    AppendKey(requirement.values, key);
  }
}

}  // namespace

void AppendKey(std::size_t number, std::string& key) {
  char digits[20];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof(digits), number);
  key.append(digits, end);
  key += ';';
}

void AppendKey(std::string_view text, std::string& key) {
  AppendKey(text.size(), key);
  key += text;
}

void AppendKey(const std::vector<std::string>& texts, std::string& key) {
  AppendKey(texts.size(), key);
  for (const std::string& text : texts) AppendKey(text, key);
}

void AppendKey(const Labels& labels, std::string& key) {
  AppendKey(labels.size(), key);
  for (const auto& [name, value] : labels) {
    AppendKey(name, key);
    AppendKey(value, key);
  }
}

void AppendKey(const Selector& selector, std::string& key) {
  AppendKey(selector.IsNothing() ? 1 : 0, key);
  AppendKey(selector.requirements().size(), key);
  for (const Requirement& requirement : selector.requirements()) {
    AppendKey(requirement.key(), key);
    AppendKey(static_cast<std::size_t>(requirement.op()), key);
    AppendKey(requirement.values(), key);
  }
}

void AppendKey(const NodeSelector& selector, std::string& key) {
  AppendKey(selector.size(), key);
  for (const NodeSelectorTerm& term : selector) {
    AppendRequirements(term.match_expressions, key);
    AppendRequirements(term.match_fields, key);
  }
}

void AppendKey(const std::vector<Toleration>& tolerations, std::string& key) {
  AppendKey(tolerations.size(), key);
  for (const Toleration& toleration : tolerations) {
    AppendKey(toleration.key, key);
    AppendKey(toleration.op, key);
    AppendKey(toleration.value, key);
    AppendKey(toleration.effect, key);
  }
}

}  // namespace vicinal
