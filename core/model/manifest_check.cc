#include "core/model/manifest_check.h"

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/model/did_you_mean.h"

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

constexpr char kRequired[] = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr char kPreferred[] = "preferredDuringSchedulingIgnoredDuringExecution";

// k8s.io/api/core/v1/types.go.
struct Schema {
  Type any;
  Type requirement{{{"key", &any}, {"operator", &any}, {"values", &any}}};
  Type label_selector{
      {{"matchLabels", &any}, {"matchExpressions", &requirement}}};
  Type node_selector_term{
      {{"matchExpressions", &requirement}, {"matchFields", &requirement}}};
  Type node_selector{{{"nodeSelectorTerms", &node_selector_term}}};
  Type preferred_scheduling_term{
      {{"weight", &any}, {"preference", &node_selector_term}}};
  Type node_affinity{
      {{kRequired, &node_selector}, {kPreferred, &preferred_scheduling_term}}};
  Type pod_affinity_term{{{"labelSelector", &label_selector},
                          {"namespaces", &any},
                          {"namespaceSelector", &label_selector},
                          {"topologyKey", &any},
                          {"matchLabelKeys", &any},
                          {"mismatchLabelKeys", &any}}};
  Type weighted_pod_affinity_term{
      {{"weight", &any}, {"podAffinityTerm", &pod_affinity_term}}};
  Type pod_affinity{{{kRequired, &pod_affinity_term},
                     {kPreferred, &weighted_pod_affinity_term}}};
  Type affinity{{{"nodeAffinity", &node_affinity},
                 {"podAffinity", &pod_affinity},
                 {"podAntiAffinity", &pod_affinity}}};
  Type toleration{{{"key", &any},
                   {"operator", &any},
                   {"value", &any},
                   {"effect", &any},
                   {"tolerationSeconds", &any}}};
  Type spread{{{"maxSkew", &any},
               {"topologyKey", &any},
               {"whenUnsatisfiable", &any},
               {"labelSelector", &label_selector},
               {"minDomains", &any},
               {"nodeAffinityPolicy", &any},
               {"nodeTaintsPolicy", &any},
               {"matchLabelKeys", &any}}};
  // The fields of a pod's spec that are checked.
  Type rules{{{"affinity", &affinity},
              {"nodeSelector", &any},
              {"tolerations", &toleration},
              {"topologySpreadConstraints", &spread}}};
};

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

const Schema& TheSchema() {
  static const Schema kSchema;
  return kSchema;
}

}  // namespace

void CheckPodSpec(const Json& spec, const std::string& path,
                  std::vector<std::string>& warnings) {
  if (!spec.is_object()) return;
  const Type& rules = TheSchema().rules;
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
  for (const std::string& rule : TheSchema().rules.Names()) {
    if (!spec.contains(rule)) continue;
    warnings.push_back(
        absl::StrCat(path, ".", rule, ": unknown field, ignored; in a ", kind,
                     " it belongs to ", template_path, ".", rule));
  }
}

}  // namespace vicinal
