// Which pods of one node have to go so that another fits, as the scheduler's
// preemption chooses them.
// Source: SelectVictimsOnNode in
// pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
#ifndef VICINAL_CORE_ENGINE_CHOOSE_VICTIMS_H_
#define VICINAL_CORE_ENGINE_CHOOSE_VICTIMS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/node_info.h"
#include "core/model/pod.h"

namespace vicinal {

// A pod on the node, apart from the cluster, which may lose it.
struct Resident {
  ObjectKey key;
  std::string uid;
  std::int32_t priority = 0;
  std::int64_t start_time = 0;  // Not started: as late as can be.
  bool is_victim = false;       // Goes whatever the rules say, see `keep`.
  // Whether a PodDisruptionBudget would be violated if all pods that may have
  // to go went.
  bool violates_budget = false;
};

// The pods of the node, the most important first (util.MoreImportantPod:
// priority, then the earlier start). None is a victim yet. Those of a lower
// priority than `priority` may have to go. Cost: O(pods of the node), for the
// latter as ViolatesBudgets.
std::vector<Resident> ResidentsOf(const NodeInfo& node, std::int32_t priority,
                                  const ClusterState& cluster);

// Pods taken out of a cluster for as long as this lives.
class Removal {
 public:
  explicit Removal(ClusterState& cluster) : cluster_(cluster) {}
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;
  ~Removal();

  void Remove(const ObjectKey& key);
  void PutBack(const ObjectKey& key);

 private:
  ClusterState& cluster_;
  std::map<ObjectKey, Pod> removed_;
};

// Upstream's choice: without all pods of a lower priority than `priority`, and
// then one after the other back if the pod still fits, which `fits()` says of
// the cluster as it is: first those that violate a budget, each time in the
// order of `residents`. With `keep` the victims do
// not come back. Returns who has to go, for each resident; nullopt if the pod
// does not fit all the same. The cluster is changed and changed back. Cost: a
// question, a removal and two additions for each pod of lower priority.
std::optional<std::vector<bool>> ChooseVictims(
    const std::vector<Resident>& residents, std::int32_t priority, bool keep,
    const std::function<bool()>& fits, ClusterState& cluster);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_CHOOSE_VICTIMS_H_
