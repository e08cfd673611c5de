#include "core/simulate/budgets.h"

#include <cstddef>
#include <utility>

#include "core/model/label_selector.h"
#include "core/model/pod_disruption_budget.h"

namespace vicinal {

Budgets::Budgets(const SimulatedCluster& simulated) {
  for (const auto& [key, object] :
       simulated.cluster().All<PodDisruptionBudget>()) {
    // One that is absent, empty or wrong is about no pods.
    auto selector = AsSelector(object.selector);
    if (!selector.ok() || selector->Empty()) continue;
    Budget& budget = budgets_.emplace_back(Budget{key, *std::move(selector)});
    budget.wanted = OnNodes(simulated, budget) - object.disruptions_allowed;
  }
}

std::int64_t Budgets::OnNodes(const SimulatedCluster& simulated,
                              const Budget& budget) {
  std::int64_t count = 0;
  const std::string& in = budget.key.namespace_name;
  for (auto it = simulated.pods().lower_bound({in, ""});
       it != simulated.pods().end() && it->first.namespace_name == in; ++it) {
    if (!it->second.node.empty() &&
        budget.selector.Matches(simulated.LabelsOf(it->first))) {
      ++count;
    }
  }
  return count;
}

Budgets::Allowance::Allowance(const Budgets& budgets,
                              const SimulatedCluster& simulated)
    : budgets_(budgets) {
  for (const Budget& budget : budgets.budgets_) {
    left_.push_back(OnNodes(simulated, budget) - budget.wanted);
  }
}

std::string Budgets::Allowance::Take(const SimulatedCluster& simulated,
                                     const ObjectKey& pod) {
  const Labels labels = simulated.LabelsOf(pod);
  std::vector<std::size_t> about;
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const Budget& budget = budgets_.budgets_[i];
    if (budget.key.namespace_name != pod.namespace_name ||
        !budget.selector.Matches(labels)) {
      continue;
    }
    if (left_[i] <= 0) {
      return budget.key.namespace_name + "/" + budget.key.name;
    }
    about.push_back(i);
  }
  for (const std::size_t i : about) --left_[i];
  return "";
}

}  // namespace vicinal
