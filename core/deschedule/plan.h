// Which pods to evict so that a cluster breaks fewer rules.
//
// Each eviction is tried on the cluster first: the pod is taken out, the
// scheduler's own question is answered for its replacement, and the replacement
// is put where the answer says. Of several nodes with the same score each could
// be the one, so each must do. An eviction is planned only if the cluster as a
// whole gets better by it (ClusterCost), in every such case, and the pod does
// not come back to its node. Where other pods need a pod near them, it is tried
// together with those that would have to follow it, on the first of such nodes.
//
// A pod that is to be replaced for its age or its status (IsAboutStatus) may
// come back to its node, if nothing else is wrong there; that it is replaced is
// what gets better. A pod that has finished counts nowhere, and its controller
// has replaced it long ago or does not want to: it goes without a question.
//
// Why it ends: each planned eviction, or each group of them, makes ClusterCost
// less, and that cannot happen for ever. The search goes on until no eviction
// of a candidate is left that would, so that another plan for the cluster as it
// then is finds none; unless a limit ended it, and then plans one after the
// other get there.
#ifndef VICINAL_CORE_DESCHEDULE_PLAN_H_
#define VICINAL_CORE_DESCHEDULE_PLAN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/deschedule/cluster_cost.h"
#include "core/deschedule/pod_facts.h"
#include "core/deschedule/policy.h"
#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/model/pod.h"

namespace vicinal {

struct PlannedEviction {
  bool IsOfFinishedPod() const { return destination.empty(); }

  ObjectKey pod;
  std::string uid;
  std::string owner;  // See OwnerKeyOf.
  std::string node;
  // The node where its replacement is expected. Empty: the pod has finished,
  // and no replacement is expected.
  std::string destination;
  StrategyKind strategy = StrategyKind::kNodeTaints;
  std::string reason;
};

struct KeptPod {
  ObjectKey pod;
  std::string node;
  StrategyKind strategy = StrategyKind::kNodeTaints;
  std::string reason;  // Why it is not evicted.
};

struct Plan {
  // In the order in which they are to be carried out.
  std::vector<PlannedEviction> evictions;
  // Pods that break a rule that is looked for or are to be replaced, and stay.
  std::vector<KeptPod> kept;
  ClusterCost before;
  ClusterCost after;  // Expected.
};

struct PlanOptions {
  Policy policy;
  std::int64_t now = 0;  // Seconds since 1970.
  // Pods that stay, and owners (OwnerKeyOf) whose pods stay, and why.
  std::map<ObjectKey, std::string> excluded_pods;
  std::map<std::string, std::string> excluded_owners;
  // Pods that have finished, which the cluster does not have. Those on none of
  // its nodes are not looked at.
  std::vector<Pod> finished;
  // What has been evicted in this pass already: it counts for the limits.
  std::vector<PlannedEviction> done;
};

// `profile` is the scheduler's. The cluster is changed and changed back. Cost:
// a scan (scan.h) for each round, of which there are two or three as a
// rule, and one question over all nodes for each pod that breaks a rule and may
// be evicted.
Plan MakePlan(const Profile& profile, const PlanOptions& options,
              const PodFactsMap& facts, ClusterState& cluster);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_PLAN_H_
