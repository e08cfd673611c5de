#include "core/index/pod_query.h"

#include <algorithm>

#include "core/index/canonical_key.h"

namespace vicinal {

bool PodQuery::Condition::Matches(const std::string& namespace_name,
                                  const Labels& labels) const {
  return (all_namespaces || std::find(namespaces.begin(), namespaces.end(),
                                      namespace_name) != namespaces.end()) &&
         selector.Matches(labels);
}

bool PodQuery::Matches(const std::string& namespace_name, const Labels& labels,
                       bool terminating) const {
  return (include_terminating || !terminating) &&
         std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) {
                       return condition.Matches(namespace_name, labels);
                     });
}

std::string PodQuery::Key() const {
  std::string key;
  AppendKey(include_terminating, key);
  for (const Condition& condition : conditions) {
    AppendKey(condition.all_namespaces, key);
    std::vector<std::string> namespaces = condition.namespaces;
    std::sort(namespaces.begin(), namespaces.end());
    AppendKey(namespaces, key);
    AppendKey(condition.selector, key);
  }
  return key;
}

}  // namespace vicinal
