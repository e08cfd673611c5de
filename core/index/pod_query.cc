#include "core/index/pod_query.h"

#include <algorithm>

#include "core/index/canonical_key.h"

namespace vicinal {

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
