// All objects of a cluster; of a store without holding its lock for long.
#ifndef VICINAL_SERVER_STATE_STORE_PARTS_H_
#define VICINAL_SERVER_STATE_STORE_PARTS_H_

#include <functional>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/model/object.h"
#include "server/state/cluster_store.h"

namespace vicinal {

// Calls `visit` with each object, one kind after the other, by name. Cost:
// O(objects × log).
void ForEachObject(const ClusterState& cluster,
                   const std::function<void(Object)>& visit);

// Calls `visit` with some objects at a time, one kind after the other, by name,
// until it says false; returns whether it never did. The lock is held while a
// part is collected, and not while it is visited: an object is as it was then,
// one that comes meanwhile may be missing, and none occurs twice.
bool ForEachPart(const ClusterStore& store,
                 const std::function<bool(std::vector<Object>)>& visit);

// Puts all objects into `copy`, which is empty; questions have the same answers
// there, but for what happens meanwhile. Cost: that of an Upsert for each
// object; the memory of the store once more.
void CopyInParts(const ClusterStore& store, ClusterState& copy);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_STORE_PARTS_H_
