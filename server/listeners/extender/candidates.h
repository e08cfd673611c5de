// The nodes of a question that the scheduler has asked.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_CANDIDATES_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_CANDIDATES_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {

// The scheduler may know a node before its event has come here.
inline constexpr char kReasonUnknownNode[] = "node(s) not known to vicinal yet";

// Good until the cluster changes, and as long as the names of the question.
struct Candidates {
  // Side by side, in the order of the question.
  std::vector<std::string_view> names;
  std::vector<const NodeInfo*> nodes;
  std::vector<NodeId> ids;
  // Those where the pod finds no room, with the reason.
  std::vector<std::pair<std::string_view, std::string>> full;
  std::vector<std::string_view> unknown;

  CandidateNodes known() const { return {nodes, ids}; }
};

// Cost: O(names).
Candidates FindCandidates(const ClusterState& cluster,
                          const std::vector<std::string_view>& names);

// Moves the candidates with pods in flight (`in_flight_on`) to those that are
// full, where `resources` refuse the pod: the scheduler may have forgotten a
// pod whose binding is still being written.
// Cost: O(candidates), and that of the filters for each node in flight.
void LeaveOutFull(const Profile& resources, const ClusterState& cluster,
                  const PodInfo& pod, std::span<const NodeId> in_flight_on,
                  Candidates& candidates);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_CANDIDATES_H_
