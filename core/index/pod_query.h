// A question about which pods count: by namespace, labels and whether they are
// terminating.
#ifndef VICINAL_CORE_INDEX_POD_QUERY_H_
#define VICINAL_CORE_INDEX_POD_QUERY_H_

#include <string>
#include <vector>

#include "core/model/labels.h"
#include "core/model/selector.h"

namespace vicinal {

struct PodQuery {
  // A pod must be in one of the namespaces (or in any) and be selected.
  struct Condition {
    bool all_namespaces = false;
    std::vector<std::string> namespaces;
    Selector selector = Selector::Nothing();

    bool Matches(const std::string& namespace_name, const Labels& labels) const;
  };

  std::vector<Condition> conditions;  // ANDed; not empty.
  bool include_terminating = true;

  bool Matches(const std::string& namespace_name, const Labels& labels,
               bool terminating) const;

  // A text that two queries share only if they mean the same.
  std::string Key() const;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_POD_QUERY_H_
