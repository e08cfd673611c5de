// The scheduling loop.
#ifndef VICINAL_CORE_SIMULATE_SCHEDULER_H_
#define VICINAL_CORE_SIMULATE_SCHEDULER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/simulate/chooser.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// Called before a pod is placed, while the cluster is as the choice saw it.
using OnPlacement =
    std::function<void(const SimulatedCluster& simulated, const PodInfo& pod,
                       const std::string& node)>;

class Scheduler {
 public:
  // `profile` must outlive the scheduler.
  Scheduler(const Profile& profile, std::uint64_t seed,
            OnPlacement on_placement)
      : chooser_(profile, seed), on_placement_(std::move(on_placement)) {}

  // Tries pods until none is left to try. Nobody is preempted.
  void Run(SimulatedCluster& simulated);

  // From now on this node is taken where it is among the best; empty: none is.
  void Prefer(std::string node) { chooser_.Prefer(std::move(node)); }

  // The nodes of the pods that were placed since this was called last, in their
  // order.
  std::vector<std::string> TakePlacements() {
    return std::exchange(placements_, {});
  }

  const Profile& profile() const { return chooser_.profile(); }

 private:
  Choice Choose(const SimulatedCluster& simulated, const PodInfo& pod);

  Chooser chooser_;
  const OnPlacement on_placement_;
  std::vector<std::string> placements_;

  // Pods of one template fail alike as long as nothing changes.
  std::shared_ptr<const PodInfo> last_failed_;
  std::string last_message_;
  std::int64_t last_generation_ = -1;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SCHEDULER_H_
