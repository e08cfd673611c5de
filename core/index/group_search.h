// Finds all groups that match a query by set arithmetic on the inverted index
// of labels, without looking into a group: for queries that match many.
#ifndef VICINAL_CORE_INDEX_GROUP_SEARCH_H_
#define VICINAL_CORE_INDEX_GROUP_SEARCH_H_

#include "core/index/group_set.h"
#include "core/index/label_table.h"
#include "core/index/pod_query.h"

namespace vicinal {

// Where groups are found. `namespaces` has labels without a key.
struct GroupTables {
  const LabelTable& labels;
  const LabelTable& namespaces;
  const GroupSet& all;
  const GroupSet& running;  // Whose pods are not terminating.
};

// Those for which query.Matches. Cost: O(values and keys of the query + groups
// that have one of its labels, for each of those labels + groups / 64 for each
// key); for keys without values, as in Exists, all labels with the key count.
GroupSet SearchGroups(const PodQuery& query, const GroupTables& tables);

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_GROUP_SEARCH_H_
