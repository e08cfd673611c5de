// A question about which pods count: by namespace, labels and whether they are
// terminating.
#ifndef VICINAL_CORE_INDEX_POD_QUERY_H_
#define VICINAL_CORE_INDEX_POD_QUERY_H_

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/selector.h"

namespace vicinal {

struct PodQuery {
  // A pod must be in one of the namespaces (or in any) and be selected.
  struct Condition {
    bool all_namespaces = false;
    std::vector<std::string> namespaces;
    Selector selector = Selector::Nothing();

    // `find` does what Labels::Find does.
    template <typename Find>
    bool Matches(const std::string& namespace_name, Find&& find) const {
      return (all_namespaces ||
              std::find(namespaces.begin(), namespaces.end(), namespace_name) !=
                  namespaces.end()) &&
             selector.MatchesWith(find);
    }
  };

  std::vector<Condition> conditions;  // ANDed; not empty.
  bool include_terminating = true;

  template <typename Find>
  bool Matches(const std::string& namespace_name, Find&& find,
               bool terminating) const {
    return (include_terminating || !terminating) &&
           std::all_of(conditions.begin(), conditions.end(),
                       [&](const Condition& condition) {
                         return condition.Matches(namespace_name, find);
                       });
  }

  // A text that two queries share only if they mean the same.
  std::string Key() const;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_POD_QUERY_H_
