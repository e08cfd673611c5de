#include "core/explain/describe.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace vicinal {
namespace {

std::string Describe(const Requirement& requirement) {
  const std::string& key = requirement.key();
  const std::vector<std::string>& values = requirement.values();
  const std::string list = absl::StrJoin(values, ",");
  switch (requirement.op()) {
    case Requirement::Operator::kIn:
      return values.size() == 1 ? key + "=" + values[0]
                                : key + " in (" + list + ")";
    case Requirement::Operator::kNotIn:
      return values.size() == 1 ? key + "!=" + values[0]
                                : key + " notin (" + list + ")";
    case Requirement::Operator::kExists:
      return key;
    case Requirement::Operator::kDoesNotExist:
      return "!" + key;
    case Requirement::Operator::kGreaterThan:
      return key + ">" + list;
    case Requirement::Operator::kLessThan:
      return key + "<" + list;
  }
  return key;
}

bool IsInBytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

std::string DescribeBytes(std::int64_t bytes) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {
      {std::int64_t{1} << 40, "Ti"},
      {std::int64_t{1} << 30, "Gi"},
      {std::int64_t{1} << 20, "Mi"},
      {std::int64_t{1} << 10, "Ki"}};
  for (const auto& [unit, name] : kUnits) {
    if (bytes != 0 && bytes % unit == 0) {
      return absl::StrCat(bytes / unit, name);
    }
  }
  // Not a round number: in mebibytes, if it is that large.
  const std::int64_t mebibyte = std::int64_t{1} << 20;
  if (bytes >= 10 * mebibyte || bytes <= -10 * mebibyte) {
    return absl::StrCat("~", bytes / mebibyte, "Mi");
  }
  return absl::StrCat(bytes);
}

}  // namespace

std::string Describe(const Selector& selector) {
  if (selector.IsNothing()) return "nothing";
  if (selector.Empty()) return "any";
  std::vector<std::string> parts;
  for (const Requirement& requirement : selector.requirements()) {
    parts.push_back(Describe(requirement));
  }
  return absl::StrJoin(parts, ",");
}

std::string DescribePods(const AffinityTerm& term) {
  const std::string selected = Describe(term.selector);
  std::string text = term.selector.Empty() ? "any pods" : "pods " + selected;
  if (term.selector.IsNothing()) text = "pods of no labelSelector (none)";
  if (term.namespace_selector.Empty()) return text + " in any namespace";
  if (!term.namespaces.empty()) {
    absl::StrAppend(&text, " in ",
                    term.namespaces.size() == 1 ? "namespace " : "namespaces ",
                    Listed(term.namespaces, 5));
  }
  if (!term.namespace_selector.IsNothing()) {
    absl::StrAppend(&text, term.namespaces.empty() ? " in" : " and",
                    " namespaces with ", Describe(term.namespace_selector));
  }
  return text;
}

std::string Describe(const NodeSelectorRequirement& requirement) {
  std::string text = requirement.key + " " + requirement.op;
  if (!requirement.values.empty()) {
    absl::StrAppend(&text, " [", absl::StrJoin(requirement.values, ", "), "]");
  }
  return text;
}

std::string Describe(const Taint& taint) {
  std::string text = taint.key;
  if (!taint.value.empty()) absl::StrAppend(&text, "=", taint.value);
  return text + ":" + taint.effect;
}

std::string DescribeAmount(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") {
    return amount % 1000 == 0 ? absl::StrCat(amount / 1000)
                              : absl::StrCat(amount, "m");
  }
  if (IsInBytes(resource)) return DescribeBytes(amount);
  return absl::StrCat(amount);
}

std::string Counted(std::size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", std::string(noun), count == 1 ? "" : "s");
}

std::string Listed(const std::vector<std::string>& items, std::size_t limit) {
  const std::size_t shown = std::min(items.size(), limit);
  std::string text = absl::StrJoin(items.begin(), items.begin() + shown, ", ");
  if (shown < items.size()) {
    absl::StrAppend(&text, " and ", items.size() - shown, " more");
  }
  return text;
}

std::string RequiredTermPath(std::string_view kind, std::size_t index) {
  return absl::StrCat("spec.affinity.", std::string(kind),
                      ".requiredDuringSchedulingIgnoredDuringExecution[", index,
                      "]");
}

}  // namespace vicinal
