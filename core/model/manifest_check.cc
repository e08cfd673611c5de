#include "core/model/manifest_check.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/model/did_you_mean.h"
#include "core/model/fields.h"

namespace vicinal {
namespace {

using Json = nlohmann::json;

// The fields of a type; each leads to the type of its value, or of the elements
// if that is a list. Types without fields are not looked into.
struct Type {
  std::vector<std::pair<std::string, const Type*>> fields;

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, type] : fields) names.push_back(name);
    return names;
  }
};

// The type of such a value.
template <typename T>
const Type& TypeOf(const T&);
template <typename T>
const Type& TypeOf(const std::optional<T>&) {
  return TypeOf(T());
}
template <typename T>
const Type& TypeOf(const std::vector<T>&) {
  return TypeOf(T());
}
template <typename Terms>
const Type& TypeOf(const NodeSelectorField<Terms>&) {
  static const Type kType{{{"nodeSelectorTerms", &TypeOf(NodeSelectorTerm())}}};
  return kType;
}
template <typename T>
const Type& TypeOf(const T& value) {
  static const Type kType = [&value] {
    Type type;
    if constexpr (HasFields<const T>) {
      VisitFields(value, [&type](const char* name, int, const auto& member) {
        type.fields.emplace_back(name, &TypeOf(member));
      });
    }
    if constexpr (std::is_same_v<T, Toleration>) {
      // vicinal does not read it, but it is there.
      type.fields.emplace_back("tolerationSeconds", &TypeOf(std::int64_t()));
    }
    return type;
  }();
  return kType;
}

// The fields of a pod's spec that are checked.
const Type& Rules() {
  static const Type kRules = [] {
    Type rules = TypeOf(PodSpec());
    std::erase_if(rules.fields, [](const auto& field) {
      const std::string_view name = field.first;
      return name != "affinity" && name != "nodeSelector" &&
             name != "tolerations" && name != "topologySpreadConstraints";
    });
    return rules;
  }();
  return kRules;
}

// The values of fields that have few.
const std::map<std::string_view, std::vector<std::string>>& Enums() {
  static const std::map<std::string_view, std::vector<std::string>> kEnums = {
      {"whenUnsatisfiable", {"DoNotSchedule", "ScheduleAnyway"}},
      {"nodeAffinityPolicy", {"Honor", "Ignore"}},
      {"nodeTaintsPolicy", {"Honor", "Ignore"}},
      {"effect", {"NoSchedule", "PreferNoSchedule", "NoExecute", ""}},
  };
  return kEnums;
}

std::string Meant(std::string_view text,
                  const std::vector<std::string>& candidates) {
  const std::string guess = DidYouMean(text, candidates);
  return guess.empty() ? "" : "; did you mean \"" + guess + "\"?";
}

void CheckValue(std::string_view field, const Json& value,
                const std::string& path, std::vector<std::string>& warnings) {
  const auto values = Enums().find(field);
  if (values == Enums().end() || !value.is_string()) return;
  const std::string& text = value.get_ref<const std::string&>();
  for (const std::string& known : values->second) {
    if (text == known) return;
  }
  warnings.push_back(absl::StrCat(path, ": \"", text,
                                  "\" is not a value that an API server "
                                  "accepts",
                                  Meant(text, values->second)));
}

void Check(const Json& value, const Type& type, const std::string& path,
           std::vector<std::string>& warnings) {
  if (type.fields.empty()) return;
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      Check(value[i], type, absl::StrCat(path, "[", i, "]"), warnings);
    }
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [name, field] : value.items()) {
    const std::string where = path + "." + name;
    const Type* found = nullptr;
    for (const auto& [known, field_type] : type.fields) {
      if (known == name) found = field_type;
    }
    if (found == nullptr) {
      warnings.push_back(where + ": unknown field, ignored" +
                         Meant(name, type.Names()));
      continue;
    }
    CheckValue(name, field, where, warnings);
    Check(field, *found, where, warnings);
  }
}

}  // namespace

void CheckPodSpec(const Json& spec, const std::string& path,
                  std::vector<std::string>& warnings) {
  if (!spec.is_object()) return;
  const Type& rules = Rules();
  for (const auto& [name, value] : spec.items()) {
    const Type* found = nullptr;
    for (const auto& [known, type] : rules.fields) {
      if (known == name) found = type;
    }
    if (found != nullptr) {
      Check(value, *found, path + "." + name, warnings);
      continue;
    }
    // A pod's spec has many other fields; only what is nearly a rule is told.
    for (const auto& [known, type] : rules.fields) {
      if (EditDistance(name, known) <= 2) {
        warnings.push_back(path + "." + name +
                           ": unknown field, ignored; did you mean \"" + known +
                           "\"?");
      }
    }
  }
}

void CheckWorkloadSpec(const Json& spec, const std::string& kind,
                       const std::string& path,
                       const std::string& template_path,
                       std::vector<std::string>& warnings) {
  if (!spec.is_object()) return;
  for (const std::string& rule : Rules().Names()) {
    if (!spec.contains(rule)) continue;
    warnings.push_back(
        absl::StrCat(path, ".", rule, ": unknown field, ignored; in a ", kind,
                     " it belongs to ", template_path, ".", rule));
  }
}

}  // namespace vicinal
