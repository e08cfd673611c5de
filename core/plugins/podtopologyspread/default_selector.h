// Which pods belong together with a pod, by the objects that manage it.
#ifndef VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_DEFAULT_SELECTOR_H_
#define VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_DEFAULT_SELECTOR_H_

#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "core/model/selector.h"

namespace vicinal {

// The selectors of all Services that select the pod, and of the
// ReplicationController, ReplicaSet or StatefulSet that controls it, merged;
// empty if there are none. Cost: O(labels + candidate services).
// Source: DefaultSelector in
// pkg/scheduler/framework/plugins/helper/spread.go.
Selector DefaultSelector(const ClusterState& cluster, const Pod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_DEFAULT_SELECTOR_H_
