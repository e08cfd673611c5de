// A topology spread constraint with its selector parsed and its defaults
// filled in.
// Source: pkg/scheduler/framework/plugins/podtopologyspread/common.go.
#ifndef VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_CONSTRAINT_H_
#define VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_CONSTRAINT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/index/cluster_state.h"
#include "core/index/node_set.h"
#include "core/index/pod_query.h"
#include "core/model/kubernetes_release.h"
#include "core/model/labels.h"
#include "core/model/pod.h"
#include "core/model/selector.h"
#include "core/model/topology_spread_constraint.h"

namespace vicinal {

struct SpreadConstraint {
  std::int32_t max_skew = 0;
  std::string topology_key;
  Selector selector = Selector::Nothing();
  std::int32_t min_domains = 1;
  bool honor_node_affinity = true;
  bool honor_node_taints = false;
  bool taint_comparisons = false;  // As KubernetesRelease's.
};

// The constraints among `written` whose whenUnsatisfiable is `action`, with the
// pod's values of their matchLabelKeys merged into their selectors if the
// release does.
absl::StatusOr<std::vector<SpreadConstraint>> ParseConstraints(
    const KubernetesRelease& release,
    const std::vector<TopologySpreadConstraint>& written,
    const Labels& pod_labels, std::string_view action);

// What to apply to `pod`: its own constraints, or `defaults` with the selector
// of the objects that manage the pod; none if there are no such objects.
absl::StatusOr<std::vector<SpreadConstraint>> ConstraintsFor(
    const ClusterState& cluster, const Pod& pod,
    const std::vector<TopologySpreadConstraint>& defaults,
    std::string_view action);

// The nodes whose pods count for a constraint of `pod`: those that have
// `topology_keys` and that the inclusion policies include.
NodeCondition CountedNodes(const SpreadConstraint& constraint, const Pod& pod,
                           std::vector<std::string> topology_keys);

// The pods that a constraint of a pod in that namespace counts: selected, in
// the namespace and not terminating.
PodQuery QueryFor(const SpreadConstraint& constraint,
                  const std::string& namespace_name);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PODTOPOLOGYSPREAD_CONSTRAINT_H_
