#include "server/listeners/extender/process_preemption.h"

#include <optional>
#include <string>
#include <utility>

#include "core/engine/select_victims.h"
#include "core/index/pod_info.h"

namespace vicinal {

std::vector<NodeVictims> ProcessPreemption(const Profile& rules,
                                           const Profile& resources,
                                           ClusterStore& store,
                                           const ExtenderPreemptionArgs& args) {
  const PodInfo pod(args.pod);
  std::vector<NodeVictims> remaining;
  for (const NodeVictims& candidate : args.candidates) {
    std::optional<SelectedVictims> victims;
    store.Write([&](ClusterState& cluster) {
      victims =
          SelectVictims(rules, resources, cluster, pod, candidate.node_name,
                        {candidate.pod_uids, candidate.num_pdb_violations});
    });
    if (!victims) continue;
    remaining.push_back({candidate.node_name, std::move(victims->uids),
                         victims->num_pdb_violations});
  }
  return remaining;
}

}  // namespace vicinal
