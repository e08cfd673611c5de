// What the scheduler asks an extender before it evicts pods.
// Source: k8s.io/kube-scheduler/extender/v1/types.go.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_PREEMPTION_ARGS_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_PREEMPTION_ARGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/pod.h"

namespace vicinal {

// The victims on one node.
struct NodeVictims {
  std::string node_name;
  std::vector<std::string> pod_uids;
  std::int64_t num_pdb_violations = 0;

  friend bool operator==(const NodeVictims&, const NodeVictims&) = default;
};

struct ExtenderPreemptionArgs {
  Pod pod;
  std::vector<NodeVictims> candidates;  // In the order of the text.
};

// Reads a request's body, which must have SIMDJSON_PADDING readable bytes
// behind it. As in Go the field names count in any case. Victims are taken from
// NodeNameToMetaVictims, or, from a scheduler that takes this extender for one
// without a cache of nodes, from NodeNameToVictims, of whose pods only the uid
// is read. The error says what is wrong with which field. Cost: O(body).
absl::StatusOr<ExtenderPreemptionArgs> ReadExtenderPreemptionArgs(
    std::string_view body);

// ExtenderPreemptionResult: the nodes that remain, with their victims.
std::string ToJson(const std::vector<NodeVictims>& candidates);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_PREEMPTION_ARGS_H_
