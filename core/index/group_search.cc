#include "core/index/group_search.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace vicinal {
namespace {

using Operator = Requirement::Operator;
using Label = LabelTable::Label;

// That a group without the label does not meet.
bool NeedsLabel(const Requirement* requirement) {
  return requirement->op() != Operator::kNotIn &&
         requirement->op() != Operator::kDoesNotExist;
}

class Search {
 public:
  explicit Search(const LabelTable& labels) : labels_(labels) {}

  // Takes those groups out of the set that the selector does not select.
  void Restrict(const Selector& selector, GroupSet& groups) {
    if (selector.IsNothing()) groups = GroupSet();
    std::vector<const Requirement*> needed;
    for (const Requirement& requirement : selector.requirements()) {
      if (NeedsLabel(&requirement)) {
        needed.push_back(&requirement);
      } else {
        EraseThoseWith(requirement, groups);
      }
    }
    const auto by_key = [](const Requirement* a, const Requirement* b) {
      return a->key() < b->key();
    };
    std::sort(needed.begin(), needed.end(), by_key);
    for (auto it = needed.begin(); it != needed.end();) {
      const auto end = std::upper_bound(it, needed.end(), *it, by_key);
      groups.IntersectWith(GroupsWith({it, end}));
      it = end;
    }
  }

 private:
  // NotIn or DoesNotExist.
  void EraseThoseWith(const Requirement& requirement, GroupSet& groups) {
    const auto erase = [&](const Label* label) {
      if (label == nullptr || !erased_.insert(label).second) return;
      for (const GroupId id : label->groups) groups.Erase(id);
    };
    if (requirement.op() == Operator::kDoesNotExist) {
      for (const Label* label : labels_.WithKey(requirement.key())) {
        erase(label);
      }
    }
    for (const std::string& value : requirement.values()) {
      erase(labels_.Find({requirement.key(), value}));
    }
  }

  // The groups with a label that meets all requirements; they are about one
  // key.
  GroupSet GroupsWith(const std::vector<const Requirement*>& all) const {
    const Requirement* fewest = nullptr;  // Of In, that with fewest values.
    for (const Requirement* requirement : all) {
      if (requirement->op() != Operator::kIn) continue;
      if (fewest == nullptr ||
          requirement->values().size() < fewest->values().size()) {
        fewest = requirement;
      }
    }
    // The labels that can meet them, each once.
    absl::flat_hash_set<const Label*> found;
    if (fewest == nullptr) {
      const auto labels = labels_.WithKey(all.front()->key());
      found.insert(labels.begin(), labels.end());
    } else {
      for (const std::string& value : fewest->values()) {
        found.insert(labels_.Find({fewest->key(), value}));
      }
      found.erase(nullptr);
    }
    GroupSet groups;
    for (const Label* label : found) {
      if (!std::all_of(all.begin(), all.end(), [&](const Requirement* other) {
            return other->op() == Operator::kExists ||
                   other->MatchesValue(&label->value);
          })) {
        continue;
      }
      for (const GroupId id : label->groups) groups.Insert(id);
    }
    return groups;
  }

  const LabelTable& labels_;
  absl::flat_hash_set<const Label*> erased_;
};

}  // namespace

GroupSet SearchGroups(const PodQuery& query, const GroupTables& tables) {
  GroupSet groups = query.include_terminating ? tables.all : tables.running;
  Search search(tables.labels);
  const std::vector<std::string>* last = nullptr;
  for (const PodQuery::Condition& condition : query.conditions) {
    // Many conditions are about the same namespaces, as a rule.
    const bool again = last != nullptr && *last == condition.namespaces;
    if (!condition.all_namespaces && !again) {
      last = &condition.namespaces;
      GroupSet in_namespaces;
      for (const std::string& name : condition.namespaces) {
        const Label* const label = tables.namespaces.Find({"", name});
        if (label == nullptr) continue;
        for (const GroupId id : label->groups) in_namespaces.Insert(id);
      }
      groups.IntersectWith(in_namespaces);
    }
    search.Restrict(condition.selector, groups);
  }
  return groups;
}

}  // namespace vicinal
