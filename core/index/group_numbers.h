// The numbers of the pod groups that there are.
#ifndef VICINAL_CORE_INDEX_GROUP_NUMBERS_H_
#define VICINAL_CORE_INDEX_GROUP_NUMBERS_H_

#include <cstddef>
#include <vector>

#include "core/index/group_set.h"

namespace vicinal {

class PodGroup;

class GroupNumbers {
 public:
  // Gives a group a number. Cost of all: O(1), amortized.
  GroupId Add(PodGroup* group, bool terminating) {
    GroupId id = static_cast<GroupId>(groups_.size());
    if (free_.empty()) {
      groups_.push_back(group);
    } else {
      id = free_.back();
      free_.pop_back();
      groups_[id] = group;
    }
    all_.Insert(id);
    if (!terminating) running_.Insert(id);
    return id;
  }

  // The number is free for another group. With the last one goes everything.
  void Remove(GroupId id) {
    groups_[id] = nullptr;
    all_.Erase(id);
    running_.Erase(id);
    free_.push_back(id);
    if (free_.size() == groups_.size()) *this = GroupNumbers();
  }

  PodGroup* Of(GroupId id) const { return groups_[id]; }

  const GroupSet& all() const { return all_; }
  // Those whose pods are not terminating.
  const GroupSet& running() const { return running_; }

 private:
  std::vector<PodGroup*> groups_;  // By number; null: free.
  std::vector<GroupId> free_;
  GroupSet all_;
  GroupSet running_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_GROUP_NUMBERS_H_
