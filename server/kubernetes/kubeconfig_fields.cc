#include "server/kubernetes/kubeconfig_fields.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/escaping.h"

namespace vicinal {

absl::Status Wrong(const std::string& field, std::string_view problem) {
  return absl::InvalidArgumentError(field + ": " + std::string(problem));
}

absl::Status WrongValue(const std::string& field, std::string_view value,
                        std::string_view problem) {
  constexpr size_t kShown = 300;
  std::string shown = absl::CEscape(
      absl::string_view(value.data(), std::min(value.size(), kShown)));
  if (value.size() > kShown) shown += "…";
  return Wrong(field, "value \"" + shown + "\": " + std::string(problem));
}

MaybeOr<YAML::Node> Child(const Section& section, const char* key) {
  std::optional<YAML::Node> found;
  for (const auto& entry : section.node) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != key) continue;
    if (found.has_value())
      return Wrong(section.Field(key), "stands there twice");
    found = entry.second;
  }
  if (found.has_value() && found->IsNull()) found.reset();
  return found;
}

MaybeOr<std::string> Scalar(const Section& section, const char* key) {
  const MaybeOr<YAML::Node> child = Child(section, key);
  if (!child.ok()) return child.status();
  if (!child->has_value()) return std::optional<std::string>();
  if (!(*child)->IsScalar())
    return Wrong(section.Field(key), "must be a string");
  std::string value = (*child)->Scalar();
  if (value.empty()) return std::optional<std::string>();
  return std::make_optional(std::move(value));
}

absl::StatusOr<bool> Boolean(const Section& section, const char* key) {
  const MaybeOr<std::string> text = Scalar(section, key);
  if (!text.ok()) return text.status();
  if (!text->has_value() || **text == "false") return false;
  if (**text == "true") return true;
  return WrongValue(section.Field(key), **text, "must be true or false");
}

absl::Status Refuse(const Section& section,
                    std::initializer_list<const char*> keys,
                    std::string_view why) {
  for (const char* const key : keys) {
    const MaybeOr<YAML::Node> child = Child(section, key);
    if (!child.ok()) return child.status();
    if (child->has_value()) return Wrong(section.Field(key), why);
  }
  return absl::OkStatus();
}

}  // namespace vicinal
