#include "core/index/canonical_key.h"

namespace vicinal {

void AppendKey(std::size_t number, std::string& key) {
  key += std::to_string(number);
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

}  // namespace vicinal
