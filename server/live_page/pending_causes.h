// Why a pod of the running server's cluster has no node.
#ifndef VICINAL_SERVER_LIVE_PAGE_PENDING_CAUSES_H_
#define VICINAL_SERVER_LIVE_PAGE_PENDING_CAUSES_H_

#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "server/live_page/picture.h"

namespace vicinal {

// Says in `pending` what keeps the pod, which is in the cluster and on no node,
// from the nodes. Cost: that of Explain.
void AddCauses(const ClusterState& cluster, const ProfileOf& profile_of,
               const Pod& pod, PicturePending& pending);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LIVE_PAGE_PENDING_CAUSES_H_
