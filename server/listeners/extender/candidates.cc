#include "server/listeners/extender/candidates.h"

#include <algorithm>
#include <cstddef>

#include "core/engine/run_plugins.h"
#include "core/plugins/status.h"

namespace vicinal {

Candidates FindCandidates(const ClusterState& cluster,
                          const std::vector<std::string_view>& names) {
  Candidates candidates;
  candidates.names.reserve(names.size());
  candidates.nodes.reserve(names.size());
  candidates.ids.reserve(names.size());
  const std::vector<NodeId> found = cluster.FindNodeIds(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (found[i] != kNoNode) {
      candidates.names.push_back(names[i]);
      candidates.nodes.push_back(&cluster.NodeById(found[i]));
      candidates.ids.push_back(found[i]);
    } else {
      candidates.unknown.push_back(names[i]);
    }
  }
  return candidates;
}

void LeaveOutFull(const Profile& resources, const ClusterState& cluster,
                  const PodInfo& pod, std::span<const NodeId> in_flight_on,
                  Candidates& candidates) {
  if (in_flight_on.empty()) return;
  std::vector<bool> has_in_flight(*std::ranges::max_element(in_flight_on) + 1);
  for (const NodeId id : in_flight_on) has_in_flight[id] = true;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates.ids.size(); ++i) {
    const NodeId id = candidates.ids[i];
    if (id < has_in_flight.size() && has_in_flight[id]) {
      const Status room =
          FilterOneNode(resources, cluster, pod, *candidates.nodes[i]);
      if (!room.ok()) {
        candidates.full.emplace_back(candidates.names[i], room.Message());
        continue;
      }
    }
    candidates.names[kept] = candidates.names[i];
    candidates.nodes[kept] = candidates.nodes[i];
    candidates.ids[kept] = id;
    ++kept;
  }
  candidates.names.resize(kept);
  candidates.nodes.resize(kept);
  candidates.ids.resize(kept);
}

}  // namespace vicinal
