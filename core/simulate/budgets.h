// How many of a budget's pods may be evicted while a simulation goes on.
#ifndef VICINAL_CORE_SIMULATE_BUDGETS_H_
#define VICINAL_CORE_SIMULATE_BUDGETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/model/selector.h"
#include "core/simulate/simulated_cluster.h"

namespace vicinal {

// The PodDisruptionBudgets that a cluster has at first. How many disruptions
// their status allows then says how many pods each wants on nodes; an evicted
// pod counts again once its successor has a node. Budgets that come later have
// no status, and are not known.
class Budgets {
 public:
  // Cost: O(budgets × pods of their namespaces).
  explicit Budgets(const SimulatedCluster& simulated);

  // What they allow now; evictions are taken from it.
  class Allowance {
   public:
    // Cost: as above. `budgets` must outlive it.
    Allowance(const Budgets& budgets, const SimulatedCluster& simulated);

    // Takes an eviction of the pod from all its budgets. If one of them allows
    // none, nothing is taken: its `namespace/name`, else empty. Cost: O(budgets
    // × labels).
    std::string Take(const SimulatedCluster& simulated, const ObjectKey& pod);

   private:
    const Budgets& budgets_;
    std::vector<std::int64_t> left_;  // By budget.
  };

 private:
  struct Budget {
    ObjectKey key;
    Selector selector;
    std::int64_t wanted = 0;  // Pods on nodes.
  };

  static std::int64_t OnNodes(const SimulatedCluster& simulated,
                              const Budget& budget);

  std::vector<Budget> budgets_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_BUDGETS_H_
